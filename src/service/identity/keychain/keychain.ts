import {type ChildProcess, spawn} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {AppError, messageOf} from '../../../core/failures/app-error.ts';
import {PROCESS_TIMERS, type Timers} from '../../../core/time/timers.ts';
import {abandon} from '../../../platform/system/exit-limit.ts';
import {cleanText} from '../clean-text.ts';

/**
 * Secret storage of the operating system: Keychain on macOS, Credential Manager on Windows, the Secret Service on Linux. Every
 * call throws `unavailable` if there is no keychain, if it is locked, or if it does not answer.
 */
export interface Keychain {
  /**
   * @param options `signal` aborts the call, which then throws the reason of the signal.
   * @returns Undefined if there is no secret for this account.
   */
  get(account: string, options?: {readonly signal?: AbortSignal}): Promise<string | undefined>;
  set(account: string, secret: string): Promise<void>;
  /** Deletes a secret. Idempotent. */
  delete(account: string): Promise<void>;
}

export interface KeychainDeps {
  /** Variables that locate the keychain: on Linux `DBUS_SESSION_BUS_ADDRESS`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Timeout of one call, in milliseconds. @default {KEYCHAIN_TIMEOUT_MS} */
  readonly timeoutMs?: number | undefined;
  /** @default {PROCESS_TIMERS} */
  readonly timers?: Timers | undefined;
}

/**
 * Timeout of one call, in milliseconds. A keychain answers within about 10 ms, unless it waits for the user to unlock it; that
 * must not delay the end of the service.
 */
export const KEYCHAIN_TIMEOUT_MS = 3000;

/** Longest answer of the process, in UTF-16 units: a session has at most 8,000, each of which may be escaped. */
const ANSWER_LENGTH_MAX = 64 * 1024;

/** Name of the secrets of Crewroom in the keychain. */
const SERVICE = 'crewroom';

const PROGRAM = fileURLToPath(new URL('keychain-process.js', import.meta.url));

/** Returns the keychain of the system. Each call starts a process, which is killed at the timeout. */
export function openKeychain(deps: KeychainDeps): Keychain {
  const ask = async (request: KeychainRequest, signal?: AbortSignal): Promise<KeychainAnswer> => {
    const answer = parseAnswer(await runProcess(JSON.stringify({service: SERVICE, ...request}), deps, signal));
    if (answer.problem !== undefined) throw unavailable(describe(cleanText(answer.problem, [request.secret ?? ''])));
    return answer;
  };
  return {
    get: async (account, {signal} = {}) => (await ask({action: 'get', account}, signal)).secret,
    set: async (account, secret) => void (await ask({action: 'set', account, secret})),
    delete: async account => void (await ask({action: 'delete', account})),
  };
}

/** Describes the problem; of one of the bus of the session, of which its library knows only variables and sockets, what it means. */
function describe(problem: string): string {
  return /\bDBus\b/.test(problem) ? 'no Secret Service answers in this session' : problem;
}

interface KeychainRequest {
  readonly action: 'get' | 'set' | 'delete';
  readonly account: string;
  readonly secret?: string;
}

interface KeychainAnswer {
  readonly secret?: string;
  readonly problem?: string;
}

async function runProcess(input: string, deps: KeychainDeps, signal: AbortSignal | undefined): Promise<string> {
  const {environment, timeoutMs = KEYCHAIN_TIMEOUT_MS, timers = PROCESS_TIMERS} = deps;
  signal?.throwIfAborted();
  // In Electron, `process.execPath` is Electron; the variable makes it behave like Node.
  const env = {...environment, ELECTRON_RUN_AS_NODE: '1'};
  return new Promise((resolve, reject) => {
    const child = startProcess(env);
    // Also without file descriptors, for which the pipes are missing.
    child.once('error', error => reject(unavailable(error.message)));
    const giveUp = (reason: unknown): void => {
      child.kill('SIGKILL');
      abandon(child);
      reject(reason);
    };
    const cancelTimeout = timers.after(timeoutMs, () =>
      giveUp(unavailable(`it does not answer within ${timeoutMs} ms; it may be locked`)),
    );
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length <= ANSWER_LENGTH_MAX) return;
      giveUp(unavailable(`its answer is larger than ${ANSWER_LENGTH_MAX} characters`));
    });
    const abort = (): void => giveUp(signal?.reason);
    signal?.addEventListener('abort', abort, {once: true});
    child.once('close', () => {
      cancelTimeout();
      signal?.removeEventListener('abort', abort);
      resolve(output);
    });
    // If the process ends before it has read its input, its answer describes the problem.
    child.stdin?.on('error', () => {}).end(input);
  });
}

/** Starts the process. Node reports what it expects as an event, and throws the rest at once, such as what a policy of Windows forbids. */
function startProcess(env: NodeJS.ProcessEnv): ChildProcess {
  try {
    return spawn(process.execPath, [PROGRAM], {env, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true});
  } catch (error) {
    throw unavailable(messageOf(error));
  }
}

function parseAnswer(output: string): KeychainAnswer {
  try {
    const answer: unknown = JSON.parse(output);
    if (isAnswer(answer)) return answer;
  } catch {
    // Without the message of the parser, which quotes the output and may contain part of a secret.
  }
  return {problem: 'the library for it does not work on this machine'};
}

function isAnswer(value: unknown): value is KeychainAnswer {
  const {secret, problem}: {readonly secret?: unknown; readonly problem?: unknown} = Object(value);
  return [secret, problem].every(each => each === undefined || typeof each === 'string');
}

function unavailable(problem: string): AppError {
  return new AppError({code: 'unavailable', what: 'keychain', problem});
}
