import {formatGrant, formatLine} from './copied-line.ts';
import {EXIT, type ExitCode} from './exit-codes.ts';
import {type AnyFailure, CLEAR_ADVICE, type FailureCode, faultOf} from './failure.ts';
import type {FailureError} from './failure-error.ts';
import type {FailureStatus} from './rows/row.ts';
import {findCase, findRow, listCases, ROWS} from './rows/rows.ts';
import {findOriginProblem} from './web-origin.ts';

/** Returns one line of advice for a failure: how to end the fault that caused it, or advice for its code and case. */
export function adviseOn(failure: AnyFailure): string {
  if (faultOf(failure) !== undefined) return CLEAR_ADVICE;
  if (failure.code === 'no-resource' && failure.meant !== undefined) return adviseOnPath(failure.path, failure.meant);
  if (failure.code === 'revision-conflict') {
    // 0 stands for an ETag that no entry has.
    const wrong = failure.conflicts.find(({expected}) => expected.split(' or ').includes('0'));
    const etag = wrong?.etag;
    if (etag) return `Send the ETag of the entry as it is, with its quotes and the id of its store: If-Match: ${etag}`;
  }
  if (failure.code === 'foreign-page' && failure.why === 'origin')
    return adviseOnOrigin(failure.origin ?? '', failure.host);
  if (failure.code === 'disk-full' && failure.problem !== undefined)
    return 'Free space in the engine on its machines; writes then work again without a restart, and deletions work now';
  if (failure.code === 'entry-corrupt' && failure.before !== undefined)
    return 'Snapshots may have older values; check the disk, and with the service stopped, "crewroom doctor --deep"';
  if (failure.code === 'token-required' && failure.plugin !== undefined)
    return `Open the page of "${failure.plugin}" in the console that "crewroom console" opens: there it proves itself`;
  if (failure.code === 'permission-required') {
    const [, plugin] = /^plugin:(.+)$/.exec(failure.principal) ?? [];
    const line = plugin && formatGrant(plugin, [failure.permission]).line;
    if (line) return `The owner of the service gives it to the plugin: "${line}"`;
    if (plugin)
      return 'Only permissions that are plain words are proposed to the owner of the service, and this is none';
  }
  return adviceOf(failure);
}

function adviseOnPath(path: string, meant: string): string {
  if (path.startsWith('//')) return `Use ${meant}: a path begins with one slash`;
  return `Use ${meant}: ${path === meant ? 'a request has no "#"' : 'a slash inside a key is written %2F'}`;
}

function adviceOf(failure: AnyFailure): string {
  const advice = findCase(failure)?.advice ?? UNKNOWN_ADVICE;
  if (!('plugin' in failure && failure.plugin)) return advice;
  const [command, ...words] = LOG_COMMAND;
  return advice.replace(
    `${LOG_COMMAND.join(' ')} ID`,
    line => formatLine([command, ...words, {outside: String(failure.plugin)}], 'any') ?? line,
  );
}

/** Command that advice about a plugin names, with the id of the plugin, or `ID`. */
const LOG_COMMAND = ['crewroom', 'plugin', 'logs'] as const;

/** Advises only what `--allow-origin` accepts. */
function adviseOnOrigin(origin: string, host?: string): string {
  if (host !== undefined)
    return 'Call http://localhost with the port of the service, where --allow-origin allows pages: this name serves only its own';
  const start = 'If the page is yours, start the service with';
  const flag = flagToAllow(origin);
  if (flag !== undefined) return `${start} ${flag}`;
  if (isAllowable(origin))
    return `${start} --allow-origin and exactly this origin, quoted for your shell: it is no plain word`;
  const sent = URL.canParse(origin) ? new URL(origin).origin : origin;
  const sentFlag = flagToAllow(sent);
  if (sentFlag !== undefined) return `Send the origin as browsers do, ${sent}, and start the service with ${sentFlag}`;
  return 'Serve the page from http://localhost:PORT and allow that, or make it a plugin: a file, or a frame in a sandbox, has no origin to allow';
}

/** Formats the flag that allows an origin; undefined if it does not accept it, or a shell could misread it. */
export function flagToAllow(origin: string | undefined): string | undefined {
  return origin !== undefined && isAllowable(origin)
    ? formatLine(['--allow-origin', {outside: origin}], 'any')
    : undefined;
}

/** Returns whether `--allow-origin` accepts an origin, which was not shortened. */
function isAllowable(origin = ''): boolean {
  return origin.length < SHOWN_ORIGIN_LENGTH_MAX && findOriginProblem(origin) === undefined;
}

/** Length to which origins in failures are shortened, in UTF-16 units. The beginning of an origin is another one, so this is more than one that can be allowed has. */
export const SHOWN_ORIGIN_LENGTH_MAX = 400;

/** Returns the advice for failures of a code: a line, or one for each case that begins with its name. */
export function adviseOnCode(code: FailureCode): string {
  const cases = Object.entries(listCases(ROWS[code]));
  return cases.map(([name, {advice}]) => (name === '' ? advice : `${name}: ${advice}`)).join('\n');
}

/** Returns one line of advice for an error: its own, such as the one received with it, or the one for its failure. */
export function adviseOnError({failure, advice}: FailureError<AnyFailure>): string {
  return advice ?? (failure === undefined ? UNKNOWN_ADVICE : adviseOn(failure));
}

const UNKNOWN_ADVICE = 'See the log of the service for details; a newer Crewroom may know this failure';

/** Returns the HTTP status of failures of a code; undefined if they never cross HTTP. */
export function findStatus(code: string): FailureStatus | undefined {
  return findRow(code)?.status;
}

/** Returns the HTTP status of a failure; that of `internal` for a failure that never crosses HTTP. */
export function statusOf({code}: Pick<FailureError<AnyFailure>, 'code'>): FailureStatus {
  return findStatus(code) ?? 500;
}

/** Returns the delay before a retry, in seconds: the one that a back end asks for, or that of the code; undefined if a retry does not help. */
export function retryAfterOf({code, failure}: Pick<FailureError<AnyFailure>, 'code' | 'failure'>): number | undefined {
  return failure && 'retryAfterSeconds' in failure ? failure.retryAfterSeconds : findRow(code)?.retryAfterSeconds;
}

/** Returns the exit code of a command that fails with a failure, or with one that is not known. */
export function exitCodeOf(failure: AnyFailure | undefined): ExitCode {
  if (failure?.code === 'unreadable-input' && failure.missing) return EXIT.notFound;
  if (failure?.code === 'unwritable-output' && failure.exists) return EXIT.conflict;
  return EXIT[(failure && findRow(failure.code)?.exit) ?? 'failure'];
}

/** Returns whether failures of this code are part of normal operation, so that people need not look at each of them. */
export function isExpectedFailure(code: string): boolean {
  return findRow(code)?.expected === true;
}

/** Returns whether a text is the code of a failure that a fault can cause: one with an HTTP status. */
export function isFaultCode(code: string): code is FailureCode {
  return findStatus(code) !== undefined;
}

/** All codes of failures that faults can cause. */
export function listFaultCodes(): readonly FailureCode[] {
  return Object.keys(ROWS).filter(isFaultCode);
}
