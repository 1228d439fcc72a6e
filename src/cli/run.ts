import type {CommanderError} from 'commander';
import {AppError} from '../domain/failure.ts';
import {VERSION} from '../version.ts';
import type {Call} from './catalogue/call.ts';
import {type AnyCommandSpec, COMMANDS, PROGRAM_NAME} from './catalogue/commands.ts';
import {EXIT, type ExitCode} from './failures/exit-codes.ts';
import {AdvisedError, reportError} from './failures/report.ts';
import {createProgram} from './parser/command-line.ts';
import type {CliContext} from './terminal/context.ts';
import {styleOf} from './terminal/style.ts';

/**
 * Runs one command line to its end. Never rejects: what goes wrong is told on stderr.
 *
 * @returns What the process should tell the shell.
 */
export async function runCli(context: CliContext): Promise<ExitCode> {
  const spoken: string[] = [];
  try {
    const exitCode = await parseAndRun(context, text => spoken.push(text));
    for (const text of spoken) await context.stdout.write(text);
    return exitCode;
  } catch (error) {
    return reportError(error, context);
  }
}

async function parseAndRun(context: CliContext, print: (text: string) => void): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  const program = createProgram({
    context,
    helpStyle: {style: styleOf(context.stdout, context), version: VERSION},
    print,
    run: async (spec, call) => {
      exitCode = await runCommand(spec, call);
    },
  });
  // Completion walks the whole program, so it is the one command that needs it.
  const [first, ...others] = context.args;
  if (first === 'complete') return (await import('./parser/completion.ts')).complete(program, others, context);
  if (context.args.length === 0) {
    print(program.helpInformation());
    return EXIT.ok;
  }
  try {
    await program.parseAsync(spellOut(context.args), {from: 'user'});
  } catch (error) {
    if (!isCommanderError(error)) throw error;
    // Help ends the parsing in the same way as what is wrong.
    if (error.exitCode === 0 || error.code === 'commander.help') return EXIT.ok;
    throw describeUsage(error, context.args);
  }
  return exitCode;
}

async function runCommand(spec: AnyCommandSpec, call: Call): Promise<ExitCode> {
  const {run} = await spec.load();
  // The parser gave each flag of the spec the type that the spec says.
  return run(call as Call<never>);
}

/** Other ways to ask for what a command or a flag does. */
function spellOut(args: readonly string[]): readonly string[] {
  const [first, ...others] = args;
  if (first === '--version' || first === '-V') return ['version', ...others];
  // Help for a name that is none would be that of the whole; the parser says what was meant.
  if (first !== 'help') return first === undefined || first.startsWith('-') || isCommand(first) ? args : [first];
  const [name] = others;
  return name === undefined || isCommand(name) ? [...others, '--help'] : others;
}

function isCommand(name: string): boolean {
  return COMMANDS.some(spec => spec.name === name);
}

function isCommanderError(error: unknown): error is CommanderError {
  return error instanceof Error && error.name === 'CommanderError';
}

/** The library's words, such as `error: unknown option '--prot'` and a line with what was meant, as one of ours. */
function describeUsage(cause: CommanderError, args: readonly string[]): Error {
  const {code, message} = cause;
  const [problem = '', suggestion] = message.split('\n');
  const meant = suggestion === undefined ? '' : `; d${suggestion.slice('(D'.length, -1)}`;
  const text = problem
    .replace(/^error: /, '')
    .replace('. Expected', ': expected')
    .replace(/\.$/, '');
  const command = COMMANDS.find(spec => spec.name === args[0])?.name;
  // Before the command nothing but it is known, so `--port 1 status` would be told that there is no such flag.
  const order = command === undefined && problem.includes('unknown option') ? '; flags follow the command' : '';
  const failure = {
    code: 'invalid-usage',
    command: command === undefined ? PROGRAM_NAME : `${PROGRAM_NAME} ${command}`,
    problem: `${text}${meant}${order}`.replaceAll("'", '"'),
  } as const;
  const error = new AppError(failure, {cause});
  return code === 'commander.unknownCommand' ? new AdvisedError(error, '"crewroom --help" lists the commands') : error;
}
