import {withoutSecrets} from '../../core/domain/redaction.ts';
import {AppError, headingOf, listProblems} from '../../core/failures/app-error.ts';
import {EXIT, type ExitCode} from '../../core/failures/exit-codes.ts';
import {adviseOnError, exitCodeOf} from '../../core/failures/facts.ts';
import {type FailureCode, faultOf} from '../../core/failures/failure.ts';
import type {Conflict} from '../../core/failures/members/problems.ts';
import {pageOf, problemMembers} from '../../core/protocol/failure/failure-document.ts';
import {DEFECTS_URL} from '../../core/version.ts';
import {type CliContext, escapeControls, escapeText, jsonLine, styleOf} from '../terminal/context.ts';
import {InterruptedError} from '../terminal/interruptible.ts';
import {asCalled} from '../terminal/stop-request.ts';

/** A failure with advice for this case, in place of the advice for its code. It may end in a command, so nothing is added to it. */
export class AdvisedError extends Error {
  override readonly name = 'AdvisedError';
  readonly failed: AppError;
  readonly advice: string;
  /** In place of that of its code. */
  readonly exitCode: ExitCode | undefined;

  constructor(failed: AppError, advice: string, exitCode?: ExitCode) {
    super(failed.message);
    this.failed = failed;
    this.advice = advice;
    this.exitCode = exitCode;
  }
}

/** Reports an error on stderr: to people in two lines, of which the second has advice and names its page, with `--json` to programs in one. */
export async function reportError(error: unknown, context: CliContext): Promise<ExitCode> {
  if (isClosedPipe(error)) return EXIT.ok;
  if (error instanceof InterruptedError) {
    await reportInterruption(error, context);
    return EXIT.interrupted;
  }
  if (error instanceof AdvisedError) return reportFailure(error.failed, error, context);
  const known = toAppError(error);
  if (known !== undefined) return reportFailure(known, {advice: adviseHere(known), pointer: pointerTo(known)}, context);
  await reportDefect(error, context);
  return EXIT.failure;
}

/** Advice in terms of the command line, for failures whose usual advice is for callers of the API. */
const ADVICE_HERE: {readonly [C in FailureCode]?: string} = {
  'invalid-parameter': 'Add --help to the command to see its arguments and flags',
  'invalid-key': 'Use 1 to 512 bytes of UTF-8 without control characters',
  'invalid-json':
    'Correct the text there: JSON has double quotes only, no comments, and no comma before a closing bracket',
  'value-too-deep':
    'Nest arrays and objects less deeply, or start the service with a higher limit: "crewroom start --value-depth-max LEVELS"',
  'no-entry': 'Keys are exact, down to case and accents; "crewroom list" shows them',
};

function adviseHere(error: AppError): string {
  const {failure} = error;
  if (failure === undefined || faultOf(failure) !== undefined) return adviseOnError(error);
  const {code} = failure;
  if (code === 'revision-conflict') return adviseOnConflict(failure.conflicts[0]);
  if (code === 'invalid-import' && failure.line === 1)
    return 'An export begins with its header: give a whole file that "crewroom export" of this or an older version wrote';
  if (code === 'invalid-body' && failure.what === 'sign-in')
    return 'Leave --script-url out to sign in at the airline that the service is configured for';
  if (code === 'too-large' && failure.what === 'value')
    return 'Split the value over several keys, or start the service with a higher limit: "crewroom start --value-bytes-max BYTES"';
  if (code === 'unwritable-output' && failure.target !== undefined)
    return 'Choose a path in a directory that exists, that you may write to, and that has free space';
  return (Object.hasOwn(ADVICE_HERE, code) ? ADVICE_HERE[code] : undefined) ?? adviseOnError(error);
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
  readonly exitCode?: ExitCode | undefined;
}

async function reportFailure(failed: AppError, help: Help, context: CliContext): Promise<ExitCode> {
  const {stderr} = context;
  const {advice, pointer = '', exitCode = exitCodeOf(failed.failure)} = help;
  const {status} = failed;
  const text = wantsJson(context)
    ? jsonLine({status, ...problemMembers(failed), advice})
    : formatFailure(failed, advice + pointer, context);
  await stderr.write(withoutSecrets(text));
  return exitCode;
}

function formatFailure(failed: AppError, advice: string, context: CliContext): string {
  const style = styleOf(context.stderr, context);
  const [first = '', ...others] = describeLines(failed).map(escapeControls);
  const lines = [
    `${style.red('crewroom:')} ${first}`,
    ...others.map(line => `  ${line}`),
    style.dim(escapeControls(asCalled(advice, context))),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Names the command that explains a failure. Wrong usage is explained by `--help`, which its advice names, and a failure of a newer service
 * by that service.
 */
function pointerTo({code, failure}: AppError): string {
  return code === 'invalid-usage' || failure === undefined ? '' : ` (more: crewroom explain ${code})`;
}

/** Describes a failure, with a line for each problem if there are several. */
function describeLines({code, status, failure, message}: AppError): readonly string[] {
  if (failure === undefined) return [`${message} (code ${JSON.stringify(code)}, status ${status})`];
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
  const advice = adviseOnDefect(DEFECTS_URL);
  const detail = 'Cannot continue: an internal error occurred';
  const text = wantsJson(context)
    ? jsonLine({type: pageOf('internal'), code: 'internal', detail, advice, stack})
    : escapeText(`crewroom: ${detail}\n${advice}\n\n${stack}\n`);
  await context.stderr.write(text);
}

/** Returns the advice on a defect. @param url Place where defects are reported, if there is one. */
export function adviseOnDefect(url: string | undefined): string {
  return `This is a bug in Crewroom${url === undefined ? '' : `; please report it with the lines below: ${url}`}`;
}

/** Returns whether `--json` is given, even if the command line cannot be parsed. */
function wantsJson({args}: CliContext): boolean {
  const end = args.indexOf('--');
  return (end === -1 ? args : args.slice(0, end)).includes('--json');
}

/** Creates the failure for a command line that cannot be run; `command` is undefined if it names no command. */
export function invalidUsage(command: string | undefined, problem: string): AppError {
  return new AppError({
    code: 'invalid-usage',
    command: command === undefined ? 'crewroom' : `crewroom ${command}`,
    problem,
  });
}

/** Creates the failure for an output that exists and is not replaced. */
export function existing(target: string, advice: string, problem = 'it exists already'): AdvisedError {
  return new AdvisedError(new AppError({code: 'unwritable-output', target, problem, exists: true}), advice);
}

/** Creates the failure of {@link invalidUsage} where `--help` would not help, with advice of its own. */
export function refusedUsage(command: string, problem: string, advice: string, exitCode?: ExitCode): AdvisedError {
  return new AdvisedError(invalidUsage(command, problem), advice, exitCode);
}

/** Advice for a command of the user that cannot be started. */
export const CANNOT_START_ADVICE = 'Check the name of the program, and that it is installed';

/** Problem of a flag `--username` without a name: a script may have an empty variable there. */
export const EMPTY_USERNAME = '--username is empty';

/** Creates a failure for a command that must be confirmed and cannot ask; `effect` is such as `deletes every entry`. */
export function unconfirmed(command: string, effect: string): AdvisedError {
  return refusedUsage(command, `it ${effect}`, 'Confirm that on a terminal, or with --yes');
}
