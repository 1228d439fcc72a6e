import {findFileNameProblem} from './file-name.ts';

/** Id of a plugin, in reverse DNS form such as `com.example.hello`. Safe as a file name and as a segment of a path. */
export type PluginId = string & {readonly [idBrand]: true};

declare const idBrand: unique symbol;

/** Longest id of a plugin, in characters: as long as a DNS name may be (RFC 1035 section 2.3.4). */
export const PLUGIN_ID_LENGTH_MAX = 253;

/** Characters of an id of a plugin. Names without a dot are the service's: later paths, prefixes and settings collide with no plugin. */
export const PLUGIN_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_-]*\.[A-Za-z0-9._-]*[A-Za-z0-9]$/;

/** Form of an id, for the problem of a text that has another one. */
export const PLUGIN_ID_FORM =
  'a domain of yours from its end on and a name, such as com.example.hello: 3 to 253 letters, digits, dots, dashes and underscores, at least one dot, a letter or a digit at both ends, and no device of Windows';

/** Returns whether a text is the id of a plugin: {@link PLUGIN_ID_FORM}. */
export function isPluginId(text: string): text is PluginId {
  return text.length <= PLUGIN_ID_LENGTH_MAX && PLUGIN_ID_PATTERN.test(text) && findFileNameProblem(text) === undefined;
}
