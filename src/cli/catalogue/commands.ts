import {SETTING_NAMES} from '../../platform/config/config.ts';
import type {GivenSettings} from '../../platform/config/resolve-config.ts';
import type {CliContext} from '../terminal/context.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';
import {DATA_COMMANDS} from './data-commands.ts';
import {PLUGIN_COMMANDS} from './plugin-commands.ts';
import {SERVICE_COMMANDS} from './service-commands.ts';
import {SETUP_COMMANDS} from './setup-commands.ts';
import {type CommandSpec, DRY_RUN_FLAG, type FlagsOf, grouped} from './spec.ts';

/** Commands of the session, and the doctor. */
const SESSION_COMMANDS = grouped('Service', {
  'sign-in': {
    summary: 'Sign in at your airline',
    flags: {
      scriptUrl: {placeholder: 'URL', description: 'back end of the airline, if none is configured'},
      username: {placeholder: 'NAME', description: 'pilot number or e-mail address'},
      passwordFile: {placeholder: 'FILE', description: 'the password is the first line of this file'},
    },
    examples: [
      ['crewroom sign-in', 'asks for the address, name and password'],
      ['crewroom sign-in --script-url https://air.example/back-end/', 'at this airline'],
      ['pass show airline | crewroom sign-in --username 1', 'with the password from a program'],
    ],
    notes: [
      'The service has to run. The password is sent once and never stored.',
      'There is no flag or variable for it: other programs could read those.',
    ],
  },
  'sign-out': {
    summary: 'Sign out, and delete the session',
    flags: DRY_RUN_FLAG,
    examples: [['crewroom sign-out', 'deletes the session wherever it is kept']],
  },
  doctor: {
    summary: 'Look for problems, and say how to fix them',
    flags: {
      deep: {description: 'verify the checksum of every entry too'},
      scriptUrl: {placeholder: 'URL', description: 'check the back end of an airline instead'},
      username: {placeholder: 'NAME', description: 'sign in there as this pilot'},
      passwordFile: {placeholder: 'FILE', description: 'the password is the first line of this file'},
    },
    settings: SETTING_NAMES,
    examples: [
      ['crewroom doctor', 'check Node, settings, port, data directory, profile and service'],
      ['crewroom doctor --deep', 'read every entry and name those that are corrupt'],
      ['crewroom doctor --script-url https://air.example/back-end/', 'check the back end of an airline'],
      [
        'crewroom doctor --script-url https://air.example/back-end/ --username 1',
        'sign in there, verify, resume and read too',
      ],
    ],
    notes: ['Exit code 6 if there is a problem; warnings do not count.'],
  },
});

/** All commands by name, in the order in which help lists them. */
export const COMMANDS = {
  ...SERVICE_COMMANDS,
  ...SESSION_COMMANDS,
  ...DATA_COMMANDS,
  ...PLUGIN_COMMANDS,
  ...SETUP_COMMANDS,
} as const;

/** The name of a command. */
export type CommandName = keyof typeof COMMANDS;

/** The commands in the order in which help lists them. */
export const COMMAND_LIST: readonly CommandSpec[] = Object.values(COMMANDS);

/** Returns whether a command has this name. */
export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}

/** Runs a command, and returns its outcome; the exit code of the process if it has printed its own. Its caller reports the errors that it throws. */
export type Command<N extends CommandName> = (call: CallOf<N>) => Promise<CommandOutcome | number>;

/** The settings of a command line. */
export interface SettingsCall {
  readonly context: CliContext;
  /** Settings that were given as flags, unchecked. */
  readonly settings: GivenSettings;
  /** The value of `--config`. */
  readonly configFile: string | undefined;
  /** Line for people that names the service, if the folder of the call chose it. */
  readonly notice?: string | undefined;
}

/** A parsed command line. */
export interface CommandCall extends SettingsCall {
  /** In the order of the command's arguments; the required ones are present. */
  readonly arguments: readonly string[];
  /** The words after `--`, if the command has a place for them. */
  readonly command: readonly string[];
}

/** A parsed command line of one command. */
export interface CallOf<N extends CommandName> extends CommandCall {
  readonly flags: FlagsOf<(typeof COMMANDS)[N]>;
}
