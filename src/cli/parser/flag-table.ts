import {
  flagOf,
  SETTING_NAMES,
  SETTINGS,
  type SettingName,
  settingFlagOf,
  shownFlagOf,
} from '../../platform/config/config.ts';
import type {CommandSpec} from '../catalogue/spec.ts';
import type {ValueForm} from '../catalogue/value-forms.ts';

/** A flag of a command line: of the command itself, of a setting, `--config` or `--help`. */
export interface Flag {
  /** The text to type, such as `--no-keep-session`. */
  readonly text: string;
  readonly description: string;
  /** The name of its value; undefined for a switch. */
  readonly placeholder?: string | undefined;
  readonly choices?: readonly string[] | undefined;
  readonly value?: ValueForm<unknown> | undefined;
  readonly repeatable?: boolean | undefined;
  /** True if help and completion leave it out. */
  readonly isHidden?: boolean;
  readonly target: FlagTarget;
}

/** The place for the value of a flag. A switch of a setting turns it on or off. */
export type FlagTarget =
  | {readonly kind: 'flag'; readonly name: string}
  | {readonly kind: 'setting'; readonly name: SettingName; readonly isOn: boolean}
  | {readonly kind: 'config-file'}
  | {readonly kind: 'help'};

/** Lists all flags of a command in the order of its help: its own, those of its settings, `--config` and `--help`. */
export function listFlags({flags, settings}: CommandSpec): readonly Flag[] {
  return [
    ...Object.entries(flags).map(([name, spec]): Flag => {
      const {actions, description} = spec;
      const shown = actions === undefined ? description : `with ${actions.join(' or ')}: ${description}`;
      return {...spec, description: shown, text: flagOf(name), target: {kind: 'flag', name}};
    }),
    ...settings.flatMap(listSettingFlags),
    ...(settings.length > 0 ? [CONFIG_FLAG] : []),
    HELP_FLAG,
  ];
}

const CONFIG_FLAG: Flag = {
  text: '--config',
  placeholder: 'FILE',
  description: 'read settings from this JSON file',
  target: {kind: 'config-file'},
};

const HELP_FLAG: Flag = {text: '--help', description: 'show how to use the command', target: {kind: 'help'}};

/** All flags that may stand before the name of a command: those of settings, and `--config`. */
export const LEADING_FLAGS: ReadonlyMap<string, Flag> = new Map(
  [...SETTING_NAMES.flatMap(listSettingFlags), CONFIG_FLAG].map(flag => [flag.text, flag]),
);

/** A switch gets a hidden opposite, since the config file may have turned it on or off. */
function listSettingFlags(name: SettingName): readonly Flag[] {
  const {placeholder, description, repeatable, choices} = SETTINGS[name];
  const text = shownFlagOf(name);
  const isOn = text === settingFlagOf(name);
  const shown = isOn ? description : `do not ${description}`;
  const flag: Flag = {
    text,
    description: shown,
    placeholder,
    repeatable,
    choices,
    target: {kind: 'setting', name, isOn},
  };
  if (placeholder !== undefined) return [flag];
  const opposite = isOn ? text.replace('--', '--no-') : settingFlagOf(name);
  return [flag, {text: opposite, description, isHidden: true, target: {kind: 'setting', name, isOn: !isOn}}];
}
