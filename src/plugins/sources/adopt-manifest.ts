import {isObject, type JsonMembers} from '../../json/members.ts';

/** A manifest with the members that it lacked. */
export interface CompletedManifest {
  readonly after: string;
  /** The added members, for people. */
  readonly lines: readonly string[];
}

/**
 * Adds what a manifest lacks: a version, a type, a description, settings, and the party of each setting. Leaves everything else as it is.
 *
 * @param version Version of the project, if it has one.
 * @throws {SyntaxError} If the text is not JSON.
 */
export function completeManifest(text: string, version: string | undefined): CompletedManifest {
  const manifest: unknown = JSON.parse(text);
  if (!isObject(manifest)) return {after: text, lines: []};
  const lines: string[] = [];
  const add = (to: JsonMembers, name: string, value: unknown, place = ''): void => {
    Reflect.set(to, name, value);
    lines.push(`+ ${place}"${name}": ${JSON.stringify(value)}`);
  };
  const type = manifest['type'] ?? 'user';
  const members = {name: manifest['id'], version: version ?? '1.0.0', type, description: '', availableSettings: {}};
  for (const [name, value] of Object.entries(members))
    if (isMissing(manifest, name) && value !== undefined) add(manifest, name, value);
  const settings = manifest['availableSettings'];
  for (const [name, setting] of isObject(settings) ? Object.entries(settings) : [])
    if (isObject(setting) && isMissing(setting, 'settingType'))
      add(setting, 'settingType', type, `"availableSettings"."${name}".`);
  return {after: lines.length === 0 ? text : formatLike(text, manifest), lines};
}

/** `null` counts as missing, and an empty list as no settings. */
function isMissing(members: JsonMembers, name: string): boolean {
  const value = members[name] ?? undefined;
  return value === undefined || (name === 'availableSettings' && Array.isArray(value) && value.length === 0);
}

/** Formats a document with the indentation and the ends of lines of another text. */
export function formatLike(text: string, document: unknown): string {
  const [, indentation = '  '] = /^[[{]\r?\n([ \t]+)/.exec(text) ?? [];
  const formatted = JSON.stringify(document, undefined, indentation) + (/\n\s*$/.test(text) ? '\n' : '');
  return text.includes('\r\n') ? formatted.replaceAll('\n', '\r\n') : formatted;
}
