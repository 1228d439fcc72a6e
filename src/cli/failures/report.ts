import {AppError, headingOf, listProblems} from '../../failures/app-error.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {exitCodeOf} from '../../failures/facts.ts';
import type {Failure, FailureCode} from '../../failures/failure.ts';
import {adviseOn} from '../../failures/failure-advice.ts';
import {faultOf} from '../../failures/fault-mark.ts';
import type {Conflict} from '../../failures/members/problems.ts';
import {pageOf} from '../../protocol/failure/failure-document.ts';
import type {CliContext} from '../terminal/context.ts';
import {escapeControls, escapeText, jsonLine} from '../terminal/escape.ts';
import {InterruptedError} from '../terminal/interruptible.ts';
import {styleOf} from '../terminal/style.ts';

/** A failure with advice for this case, in place of the advice for its code. It may end in a command, so nothing is added to it. */
export class AdvisedError extends Error {
  override readonly name = 'AdvisedError';
  readonly failure: Failure;
  readonly advice: string;

  constructor({failure, message}: AppError, advice: string) {
    super(message);
    this.failure = failure;
    this.advice = advice;
  }
}

/** Reports an error on stderr: to people in two lines, of which the second has advice and names its page, with `--json` to programs in one. */
export async function reportError(error: unknown, context: CliContext): Promise<ExitCode> {
  if (isClosedPipe(error)) return EXIT.ok;
  if (error instanceof InterruptedError) {
    await reportInterruption(error, context);
    return EXIT.interrupted;
  }
  if (error instanceof AdvisedError) return reportFailure(error, error, context);
  const known = toAppError(error);
  if (known !== undefined)
    return reportFailure(known, {advice: adviseHere(known.failure), pointer: pointerTo(known.failure)}, context);
  await reportDefect(error, context);
  return EXIT.failure;
}

/** Advice in terms of the command line, for failures whose usual advice is for callers of the API. */
const ADVICE_HERE: {readonly [C in FailureCode]?: string} = {
  'invalid-parameter': 'Add --help to the command to see its arguments and flags',
  'invalid-key': 'Use 1 to 512 bytes of UTF-8 without control characters',
  'invalid-json':
    'Correct the text there: JSON has double quotes only, no comments, and no comma before a closing bracket',
  'value-too-large':
    'Split the value over several keys, or start the service with a higher limit: "crewroom start --value-bytes-max BYTES"',
  'value-too-deep':
    'Nest arrays and objects less deeply, or start the service with a higher limit: "crewroom start --value-depth-max LEVELS"',
  'invalid-sign-in': 'Leave --script-url out to sign in at the airline that the service is configured for',
  'no-entry': 'Keys are exact, down to case and accents; "crewroom list" shows them',
};

function adviseHere(failure: Failure): string {
  const {code} = failure;
  if (faultOf(failure) !== undefined) return adviseOn(failure);
  if (code === 'revision-conflict') return adviseOnConflict(failure.conflicts[0]);
  if (code === 'invalid-import' && failure.line === 1)
    return 'An export begins with its header: give a whole file that "crewroom export" of this or an older version wrote';
  if (code === 'unwritable-output' && failure.target !== undefined)
    return 'Choose a path in a directory that exists, that you may write to, and that has free space';
  return (Object.hasOwn(ADVICE_HERE, code) ? ADVICE_HERE[code] : undefined) ?? adviseOn(failure);
}

function adviseOnConflict({expected, actual}: Partial<Conflict> = {}): string {
  if (expected === 'absent') return 'Leave --if-absent out to replace the entry, or choose another key';
  if (actual === 'absent') return 'The entry was deleted: leave --if-match out, or look for it with "crewroom list"';
  return 'Look at the entry again ("crewroom get KEY --json" shows its revision), then write with --if-match';
}

/** Returns whether the reader of our output closed it, as `head` does. This is not a failure. */
function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EPIPE' && 'syscall' in error;
}

function toAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  if (!(error instanceof Error) || !('syscall' in error) || error.syscall !== 'write') return undefined;
  return new AppError({code: 'unwritable-output', problem: error.message}, {cause: error});
}

/** The second line of a failure. */
interface Help {
  readonly advice: string;
  /** Names the place to read more, for people. */
  readonly pointer?: string;
}

/** A failure with its words. */
type Told = Pick<AppError, 'failure' | 'message'>;

async function reportFailure(told: Told, {advice, pointer = ''}: Help, context: CliContext): Promise<ExitCode> {
  const {stderr} = context;
  const {failure, message: detail} = told;
  if (wantsJson(context)) await stderr.write(jsonLine({...failure, detail, advice, type: pageOf(failure.code)}));
  else await stderr.write(formatFailure(told, advice + pointer, context));
  return exitCodeOf(failure);
}

function formatFailure(told: Told, advice: string, context: CliContext): string {
  const style = styleOf(context.stderr, context);
  const [first = '', ...others] = describeLines(told).map(escapeControls);
  const lines = [
    `${style.red('crewroom:')} ${first}`,
    ...others.map(line => `  ${line}`),
    style.dim(escapeControls(advice)),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Names the command that explains a failure. Wrong usage is explained by `--help`, which its advice names, and a failure of a newer service
 * by that service.
 */
function pointerTo({code}: Failure): string {
  return code === 'invalid-usage' || code === 'unknown-failure' ? '' : ` (more: crewroom explain ${code})`;
}

/** Describes a failure, with a line for each problem if there are several. */
function describeLines({failure, message}: Told): readonly string[] {
  if (failure.code === 'plugin-not-started') return [message, ...failure.lines];
  const problems = listProblems(failure);
  return problems.length < 2 ? [message] : [`${headingOf(failure)}: ${problems.length} problems`, ...problems];
}

async function reportInterruption({message}: InterruptedError, context: CliContext): Promise<void> {
  if (message === '') return;
  // The terminal shows ^C on this line: begin a new one.
  const lineBreak = context.stderr.isTerminal ? '\n' : '';
  const text = wantsJson(context) ? jsonLine({interrupted: true, detail: message}) : `crewroom: ${message}\n`;
  await context.stderr.write(lineBreak + text);
}

async function reportDefect(error: unknown, context: CliContext): Promise<void> {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const advice = 'This is a bug in Crewroom; please report it with the lines below';
  const detail = 'Cannot continue: an internal error occurred';
  const text = wantsJson(context)
    ? jsonLine({code: 'internal', detail, advice, stack})
    : escapeText(`crewroom: ${detail}\n${advice}\n\n${stack}\n`);
  await context.stderr.write(text);
}

/** Returns whether `--json` is given, even if the command line cannot be parsed. */
function wantsJson({args}: CliContext): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}
