import {EXIT, type ExitCode} from '../failures/exit-codes.ts';
import {VERSION} from '../version.ts';
import type {Command} from './catalogue/call.ts';
import type {CommandName} from './catalogue/commands.ts';
import {reportError} from './failures/report.ts';
import {type CommandLine, parseCommandLine} from './parser/command-line.ts';
import {formatHelp} from './parser/help.ts';
import type {CliContext} from './terminal/context.ts';
import {styleOf} from './terminal/style.ts';

/** The commands of a program, by name. Only the one that runs is loaded: the start of the process is what users wait for. */
export type Loaders = {
  readonly [N in CommandName]?: () => Promise<{readonly run: Command<N>}>;
} & {
  /** A hidden command that only the scripts of "crewroom completion" call. */
  readonly complete?: () => Promise<{
    readonly complete: (args: readonly string[], context: CliContext) => Promise<ExitCode>;
  }>;
};

/**
 * Runs a command line. Never rejects: it reports errors on stderr.
 *
 * @returns The exit code of the process.
 */
export async function runCli(context: CliContext, loaders: Loaders): Promise<number> {
  try {
    return await parseAndRun(context, loaders);
  } catch (error) {
    return reportError(error, context);
  }
}

async function parseAndRun(context: CliContext, loaders: Loaders): Promise<number> {
  const [first, ...others] = context.args;
  if (first === 'complete' && loaders.complete !== undefined)
    return (await loaders.complete()).complete(others, context);
  const line = parseCommandLine(context.args);
  if (line.kind === 'run') return runCommand(line, context, loaders);
  await context.stdout.write(formatHelp(line.name, {style: styleOf(context.stdout, context), version: VERSION}));
  return EXIT.ok;
}

async function runCommand(
  {name, words}: Extract<CommandLine, {kind: 'run'}>,
  context: CliContext,
  loaders: Loaders,
): Promise<number> {
  const load = loaders[name];
  if (load === undefined) throw new Error(`Cannot run "crewroom ${name}": another program has it`);
  const {run} = await load();
  // The parser gave each flag the type that its specification declares.
  return run({...words, context} as never);
}
