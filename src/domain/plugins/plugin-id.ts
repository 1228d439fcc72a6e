/** Id of a plugin, in reverse DNS form such as `com.example.hello`. Safe as a file name and as a segment of a path. */
export type PluginId = string & {readonly [idBrand]: true};

declare const idBrand: unique symbol;

/** Longest id of a plugin, in characters: as long as a DNS name may be (RFC 1035 section 2.3.4). */
export const PLUGIN_ID_LENGTH_MAX = 253;

/** Characters of an id of a plugin. */
export const PLUGIN_ID_PATTERN = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

/**
 * Returns whether a text is the id of a plugin: 1 to 253 ASCII letters, digits, dots, dashes and underscores, the first and the
 * last of them a letter or a digit.
 */
export function isPluginId(text: string): text is PluginId {
  return text.length <= PLUGIN_ID_LENGTH_MAX && PLUGIN_ID_PATTERN.test(text);
}
