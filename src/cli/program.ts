import type {PlatformPaths} from '../platform/paths.ts';
import type {CommandName} from './catalogue/commands.ts';
import {runProcess} from './process-context.ts';
import type {Loaders} from './run.ts';

/** Runs the command that the arguments of this process name. The build bundles everything behind it into one file, `program.cjs`. @returns The exit code. */
export function runProgram(paths: PlatformPaths): Promise<number> {
  return runProcess(paths, COMMAND_LOADERS);
}

/** All commands. */
export const COMMAND_LOADERS = {
  complete: () => import('./commands/completion.ts'),
  start: () => import('./commands/start.ts'),
  play: () => import('./commands/play.ts'),
  run: () => import('./commands/run.ts'),
  status: () => import('./commands/state.ts').then(({status: run}) => ({run})),
  console: () => import('./commands/access.ts').then(({openConsole: run}) => ({run})),
  access: () => import('./commands/access.ts').then(({access: run}) => ({run})),
  token: () => import('./commands/access.ts').then(({token: run}) => ({run})),
  requests: () => import('./commands/watch.ts').then(({requests: run}) => ({run})),
  wait: () => import('./commands/state.ts').then(({waitUntilReady: run}) => ({run})),
  stop: () => import('./commands/state.ts').then(({stop: run}) => ({run})),
  service: () => import('./commands/service.ts'),
  'sign-in': () => import('./commands/session.ts').then(({signIn: run}) => ({run})),
  'sign-out': () => import('./commands/session.ts').then(({signOut: run}) => ({run})),
  doctor: () => import('./commands/doctor.ts'),
  identity: () => import('./commands/session.ts').then(({identity: run}) => ({run})),
  get: () => import('./commands/read.ts').then(({get: run}) => ({run})),
  put: () => import('./commands/write.ts').then(({put: run}) => ({run})),
  patch: () => import('./commands/write.ts').then(({patch: run}) => ({run})),
  touch: () => import('./commands/write.ts').then(({touch: run}) => ({run})),
  edit: () => import('./commands/edit.ts'),
  list: () => import('./commands/list.ts'),
  watch: () => import('./commands/watch.ts').then(({watch: run}) => ({run})),
  history: () => import('./commands/read.ts').then(({history: run}) => ({run})),
  restore: () => import('./commands/write.ts').then(({restore: run}) => ({run})),
  delete: () => import('./commands/remove.ts').then(({deleteEntries: run}) => ({run})),
  reset: () => import('./commands/remove.ts').then(({reset: run}) => ({run})),
  export: () => import('./commands/files.ts').then(({exportEntries: run}) => ({run})),
  import: () => import('./commands/files.ts').then(({importEntries: run}) => ({run})),
  snapshot: () => import('./commands/snapshot.ts'),
  recover: () => import('./commands/recover.ts'),
  pilot: () => import('./commands/session.ts').then(({pilot: run}) => ({run})),
  dev: () => import('./commands/dev.ts'),
  plugin: () => import('./commands/plugin.ts'),
  flight: () => import('./commands/flight.ts'),
  fault: () => import('./commands/fault.ts'),
  airline: () => import('./commands/airline.ts'),
  config: () => import('./commands/installation.ts').then(({config: run}) => ({run})),
  paths: () => import('./commands/installation.ts').then(({paths: run}) => ({run})),
  explain: () => import('./commands/explain.ts'),
  completion: () => import('./commands/completion.ts'),
  version: () => import('./commands/installation.ts').then(({version: run}) => ({run})),
} as const satisfies Loaders & {readonly [N in CommandName]: unknown};
