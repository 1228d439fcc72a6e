import type {PluginManifest, PluginSetting} from '../../core/domain/plugins/plugin.ts';
import {escapeCharacter, UNSEEN} from '../../core/domain/unseen.ts';

/** Longest description of a setting in a comment, in characters: more than a line of an editor is not read. */
const DESCRIPTION_LENGTH_MAX = 200;

/**
 * Writes the settings of a plugin as TypeScript, for its background and its page: the types of values that the service serves. A
 * compiler infers less from the manifest itself, since it knows the texts of a JSON file only as strings.
 *
 * @returns A module with the interfaces `UserSettings` and `AirlineSettings`. The same manifest gives the same text.
 */
export function formatSettingTypes({availableSettings}: PluginManifest): string {
  const membersOf = (party: PluginSetting['settingType']): readonly string[] =>
    [...availableSettings].filter(([, {settingType}]) => settingType === party).map(formatMember);
  return [
    '// Written by "crewroom plugin types" from plugin.json.\n',
    '/** Settings of the user, with their defaults, as onSettingsUpdate and GET /api/settings/{id} give them. */',
    ...formatInterface('UserSettings', membersOf('user')),
    '\n/** Settings of the airline, as appliedSettings of the plugin in the identity gives them. */',
    ...formatInterface('AirlineSettings', membersOf('airline')),
    '',
  ].join('\n');
}

function formatInterface(name: string, members: readonly string[]): readonly string[] {
  return members.length === 0
    ? [`export type ${name} = Readonly<Record<string, never>>;`]
    : [`export interface ${name} {`, ...members, '}'];
}

/** Formats a setting. That of a user is absent only if it has neither a value nor a default; one of an airline if no back end sends it. */
function formatMember([name, setting]: readonly [string, PluginSetting]): string {
  const hasDefault = setting.settingType === 'user' && setting.default !== undefined;
  const types = [...typesOf(setting), ...(hasDefault ? typesOfDefault(setting) : [])];
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
  const type = [...new Set(types)].join(' | ') || 'never';
  return `${formatComment(setting)}  readonly ${key}${hasDefault ? '' : '?'}: ${type};`;
}

function formatComment({name, description}: PluginSetting): string {
  const text = [name, description].filter(part => part !== undefined && part !== '').join(': ');
  if (text === '') return '';
  // A text of the author cannot end the comment, begin another line, or change how the source is shown.
  const line = text.replace(/\s+/g, ' ').replace(UNSEEN_ANYWHERE, '').replaceAll('*/', '* /').toWellFormed();
  return `  /** ${Array.from(line).slice(0, DESCRIPTION_LENGTH_MAX).join('').trim()} */\n`;
}

function typesOf({type, options}: PluginSetting): readonly string[] {
  return type === 'list' ? [...(options?.keys() ?? [])].flatMap(typesOfChoice) : [type];
}

/** Returns the types of a choice: the service accepts a number for a choice that is its text. */
function typesOfChoice(choice: string | number): readonly string[] {
  const isText = typeof choice === 'string' && String(Number(choice)) === choice && Number.isFinite(Number(choice));
  return isText ? [quote(choice), choice] : [quote(choice)];
}

/** Returns the type of a default that does not fit its setting: the service serves it nevertheless. */
function typesOfDefault({type, default: value}: PluginSetting): readonly string[] {
  if (typeof value === type) return [];
  if (typeof value === 'string' || typeof value === 'number') return [quote(value)];
  return typeof value === 'boolean' ? [String(value)] : ['unknown'];
}

const UNSEEN_ANYWHERE = new RegExp(`[${UNSEEN}]`, 'g');

/** Writes a literal with the same value, whose text is seen as it is. */
function quote(value: string | number): string {
  return JSON.stringify(value).replace(UNSEEN_ANYWHERE, escapeCharacter);
}
