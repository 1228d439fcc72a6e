import {ACCESS, TOKEN} from './access-commands.ts';
import {DELETE, EDIT, GET, IDENTITY, LIST, PATCH, PUT, RESET, TOUCH, WATCH} from './data-commands.ts';
import {FAULT, FLIGHT, PILOT, PLUGIN} from './plugin-commands.ts';
import {CONSOLE, DEV, DOCTOR, REQUESTS, RUN, SIGN_IN, SIGN_OUT, START, STATUS, STOP, WAIT} from './service-commands.ts';
import {COMPLETION, CONFIG, EXPLAIN, PATHS, VERSION} from './setup-commands.ts';
import type {CommandSpec} from './spec.ts';
import {COPY, EXPORT, IMPORT, RECOVER, SNAPSHOT} from './transfer-commands.ts';
import {SERVICE} from './unit-commands.ts';

/** All commands by name, in the order in which help lists them. */
export const COMMANDS = {
  start: START,
  run: RUN,
  status: STATUS,
  console: CONSOLE,
  access: ACCESS,
  token: TOKEN,
  requests: REQUESTS,
  wait: WAIT,
  stop: STOP,
  service: SERVICE,
  'sign-in': SIGN_IN,
  'sign-out': SIGN_OUT,
  doctor: DOCTOR,
  identity: IDENTITY,
  get: GET,
  put: PUT,
  patch: PATCH,
  touch: TOUCH,
  edit: EDIT,
  list: LIST,
  watch: WATCH,
  delete: DELETE,
  reset: RESET,
  export: EXPORT,
  import: IMPORT,
  copy: COPY,
  snapshot: SNAPSHOT,
  recover: RECOVER,
  pilot: PILOT,
  dev: DEV,
  plugin: PLUGIN,
  flight: FLIGHT,
  fault: FAULT,
  config: CONFIG,
  paths: PATHS,
  explain: EXPLAIN,
  completion: COMPLETION,
  version: VERSION,
} as const satisfies Readonly<Record<string, CommandSpec>>;

/** The name of a command. */
export type CommandName = keyof typeof COMMANDS;

/** The commands in the order in which help lists them. */
export const COMMAND_LIST: readonly CommandSpec[] = Object.values(COMMANDS);

/** Returns whether a command has this name. */
export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}
