import {EXIT} from '../failures/exit-codes.ts';
import {VERSION} from '../version.ts';
import type {Command} from './catalogue/call.ts';
import type {CommandName} from './catalogue/commands.ts';
import {reportError} from './failures/report.ts';
import {type CommandLine, parseCommandLine} from './parser/command-line.ts';
import {formatHelp} from './parser/help.ts';
import type {CliContext} from './terminal/context.ts';
import {styleOf} from './terminal/style.ts';

/**
 * Runs a command line. Never rejects: it reports errors on stderr.
 *
 * @returns The exit code of the process.
 */
export async function runCli(context: CliContext): Promise<number> {
  try {
    return await parseAndRun(context);
  } catch (error) {
    return reportError(error, context);
  }
}

async function parseAndRun(context: CliContext): Promise<number> {
  const [first, ...others] = context.args;
  // A hidden command that only the scripts of "crewroom completion" call.
  if (first === 'complete') return (await import('./parser/completion.ts')).complete(others, context);
  const line = parseCommandLine(context.args);
  if (line.kind === 'run') return runCommand(line, context);
  await context.stdout.write(formatHelp(line.name, {style: styleOf(context.stdout, context), version: VERSION}));
  return EXIT.ok;
}

async function runCommand({name, words}: Extract<CommandLine, {kind: 'run'}>, context: CliContext): Promise<number> {
  const {run} = await LOADERS[name]();
  // The parser gave each flag the type that its specification declares.
  return run({...words, context} as never);
}

/** Loads only the command that runs: the start of the process is what users wait for. */
const LOADERS = {
  start: () => import('./commands/start.ts'),
  play: () => import('./commands/play.ts'),
  run: () => import('./commands/run.ts'),
  status: () => import('./commands/status.ts'),
  console: () => import('./commands/console.ts'),
  access: () => import('./commands/access.ts'),
  token: () => import('./commands/token.ts'),
  requests: () => import('./commands/requests.ts'),
  wait: () => import('./commands/wait.ts'),
  stop: () => import('./commands/stop.ts'),
  service: () => import('./commands/service.ts'),
  'sign-in': () => import('./commands/sign-in.ts'),
  'sign-out': () => import('./commands/sign-out.ts'),
  doctor: () => import('./commands/doctor.ts'),
  identity: () => import('./commands/identity.ts'),
  get: () => import('./commands/get.ts'),
  put: () => import('./commands/put.ts'),
  patch: () => import('./commands/patch.ts'),
  touch: () => import('./commands/touch.ts'),
  edit: () => import('./commands/edit.ts'),
  list: () => import('./commands/list.ts'),
  watch: () => import('./commands/watch.ts'),
  delete: () => import('./commands/delete.ts'),
  reset: () => import('./commands/reset.ts'),
  export: () => import('./commands/export.ts'),
  import: () => import('./commands/import.ts'),
  copy: () => import('./commands/copy.ts'),
  snapshot: () => import('./commands/snapshot.ts'),
  recover: () => import('./commands/recover.ts'),
  pilot: () => import('./commands/pilot.ts'),
  dev: () => import('./commands/dev.ts'),
  plugin: () => import('./commands/plugin.ts'),
  flight: () => import('./commands/flight.ts'),
  fault: () => import('./commands/fault.ts'),
  airline: () => import('./commands/airline.ts'),
  config: () => import('./commands/config.ts'),
  paths: () => import('./commands/paths.ts'),
  explain: () => import('./commands/explain.ts'),
  completion: () => import('./commands/completion.ts'),
  version: () => import('./commands/version.ts'),
} as const satisfies {
  readonly [N in CommandName]: () => Promise<{readonly run: Command<N>}>;
};
