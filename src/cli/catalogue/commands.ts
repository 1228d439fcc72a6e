import {DATA_COMMANDS} from './data-commands.ts';
import {PLUGIN_COMMANDS} from './plugin-commands.ts';
import {SERVICE_COMMANDS} from './service-commands.ts';
import {SESSION_COMMANDS} from './session-commands.ts';
import {SETUP_COMMANDS} from './setup-commands.ts';
import type {CommandSpec} from './spec.ts';
import {TRANSFER_COMMANDS} from './transfer-commands.ts';

/** All commands by name, in the order in which help lists them. */
export const COMMANDS = {
  ...SERVICE_COMMANDS,
  ...SESSION_COMMANDS,
  ...DATA_COMMANDS,
  ...TRANSFER_COMMANDS,
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
