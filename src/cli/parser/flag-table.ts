import {flagOf, SETTINGS, type SettingName, shownFlagOf} from '../../config/config.ts';
import type {CommandSpec} from '../catalogue/spec.ts';

/** A flag of a command line: of the command itself, of a setting, `--config` or `--help`. */
export interface Flag {
  /** The text to type, such as `--no-keep`. */
  readonly text: string;
  readonly description: string;
  /** The name of its value; undefined for a switch. */
  readonly placeholder?: string | undefined;
  readonly choices?: readonly string[] | undefined;
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
      return {...spec, text: flagOf(name), target: {kind: 'flag', name}};
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

/** A switch gets a hidden opposite, since the config file may have turned it on or off. */
function listSettingFlags(name: SettingName): readonly Flag[] {
  const {placeholder, description, repeatable, choices} = SETTINGS[name];
  const text = shownFlagOf(name);
  const isOn = text === flagOf(name);
  const flag: Flag = {text, description, placeholder, repeatable, choices, target: {kind: 'setting', name, isOn}};
  if (placeholder !== undefined) return [flag];
  const opposite = isOn ? text.replace('--', '--no-') : flagOf(name);
  return [flag, {text: opposite, description, isHidden: true, target: {kind: 'setting', name, isOn: !isOn}}];
}
