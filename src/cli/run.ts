import {EXIT, type ExitCode} from '../core/failures/exit-codes.ts';
import {COMMANDS, type Command, type CommandName} from './catalogue/commands.ts';
import {callsService} from './catalogue/spec.ts';
import {reportError} from './failures/report.ts';
import {type CommandLine, commandFirst, parseCommandLine} from './parser/command-line.ts';
import {formatHelp} from './parser/help.ts';
import {type CliContext, styleOf} from './terminal/context.ts';
import {type CommandOutcome, declined, type JsonCall, printOutcome} from './terminal/outcome.ts';

/** The commands of a program, by name. Only the one that runs is loaded: users wait for the process to start. */
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
  const args = commandFirst(context.args);
  try {
    return await parseAndRun(args, context, loaders);
  } catch (error) {
    const exitCode = await reportError(error, context);
    // Any lower one is that of its command.
    return args[0] === 'run' && exitCode !== EXIT.ok ? Math.max(exitCode, EXIT.runFailure) : exitCode;
  }
}

async function parseAndRun(args: readonly string[], context: CliContext, loaders: Loaders): Promise<number> {
  const [first, ...others] = args;
  if (first === 'complete' && loaders.complete !== undefined)
    return (await loaders.complete()).complete(others, context);
  const line = parseCommandLine(args);
  if (line.kind === 'run') return runCommand(line, context, loaders);
  await context.stdout.write(formatHelp(line.name, styleOf(context.stdout, context)));
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
  const given = {...words, context};
  if (!callsService(COMMANDS[name])) return print(await run(given as never), given);
  const {adviseOnPlugin, chooseService} = await import('./service/development.ts');
  const call = await chooseService(name, given);
  if (call === undefined) return print(declined('Nothing was done'), given);
  // The parser gave each flag the type that its specification declares.
  const outcome = run(call as never).catch(async error => {
    throw await adviseOnPlugin(error, given, call);
  });
  return print(await outcome, call);
}

async function print(outcome: CommandOutcome | number, call: object): Promise<number> {
  return typeof outcome === 'number' ? outcome : printOutcome(outcome, call as JsonCall);
}
