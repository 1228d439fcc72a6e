import {ACCESS_SPEC, TOKEN_SPEC} from './access-commands.ts';
import {
  DELETE_SPEC,
  EDIT_SPEC,
  GET_SPEC,
  IDENTITY_SPEC,
  LIST_SPEC,
  PATCH_SPEC,
  PUT_SPEC,
  RESET_SPEC,
  TOUCH_SPEC,
  WATCH_SPEC,
} from './data-commands.ts';
import {FAULT_SPEC, FLIGHT_SPEC, PILOT_SPEC, PLUGIN_SPEC} from './plugin-commands.ts';
import {
  CONSOLE_SPEC,
  DEV_SPEC,
  DOCTOR_SPEC,
  REQUESTS_SPEC,
  RUN_SPEC,
  SIGN_IN_SPEC,
  SIGN_OUT_SPEC,
  START_SPEC,
  STATUS_SPEC,
  STOP_SPEC,
  WAIT_SPEC,
} from './service-commands.ts';
import {COMPLETION_SPEC, CONFIG_SPEC, EXPLAIN_SPEC, PATHS_SPEC, VERSION_SPEC} from './setup-commands.ts';
import type {CommandSpec} from './spec.ts';
import {COPY_SPEC, EXPORT_SPEC, IMPORT_SPEC, RECOVER_SPEC, SNAPSHOT_SPEC} from './transfer-commands.ts';
import {SERVICE_SPEC} from './unit-commands.ts';

/** All commands by name, in the order in which help lists them. */
export const COMMANDS = {
  start: START_SPEC,
  run: RUN_SPEC,
  status: STATUS_SPEC,
  console: CONSOLE_SPEC,
  access: ACCESS_SPEC,
  token: TOKEN_SPEC,
  requests: REQUESTS_SPEC,
  wait: WAIT_SPEC,
  stop: STOP_SPEC,
  service: SERVICE_SPEC,
  'sign-in': SIGN_IN_SPEC,
  'sign-out': SIGN_OUT_SPEC,
  doctor: DOCTOR_SPEC,
  identity: IDENTITY_SPEC,
  get: GET_SPEC,
  put: PUT_SPEC,
  patch: PATCH_SPEC,
  touch: TOUCH_SPEC,
  edit: EDIT_SPEC,
  list: LIST_SPEC,
  watch: WATCH_SPEC,
  delete: DELETE_SPEC,
  reset: RESET_SPEC,
  export: EXPORT_SPEC,
  import: IMPORT_SPEC,
  copy: COPY_SPEC,
  snapshot: SNAPSHOT_SPEC,
  recover: RECOVER_SPEC,
  pilot: PILOT_SPEC,
  dev: DEV_SPEC,
  plugin: PLUGIN_SPEC,
  flight: FLIGHT_SPEC,
  fault: FAULT_SPEC,
  config: CONFIG_SPEC,
  paths: PATHS_SPEC,
  explain: EXPLAIN_SPEC,
  completion: COMPLETION_SPEC,
  version: VERSION_SPEC,
} as const satisfies Readonly<Record<string, CommandSpec>>;

/** The name of a command. */
export type CommandName = keyof typeof COMMANDS;

/** The commands in the order in which help lists them. */
export const COMMAND_LIST: readonly CommandSpec[] = Object.values(COMMANDS);

/** Returns whether a command has this name. */
export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}
