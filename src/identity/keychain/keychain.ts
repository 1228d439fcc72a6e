import {spawn} from 'node:child_process';
import {fileURLToPath} from 'node:url';
import {AppError} from '../../domain/failure.ts';
import {cleanText} from '../clean-text.ts';

/**
 * The place of the system for secrets: Keychain on macOS, Credential Manager on Windows, the Secret Service on Linux.
 * Every call throws `keychain-unavailable` when there is none, when it is locked, and when it does not answer.
 */
export interface Keychain {
  /**
   * @param options With `signal` the call can be ended; it then throws its reason.
   * @returns Undefined where there is no secret of this account.
   */
  get(account: string, options?: {readonly signal?: AbortSignal}): Promise<string | undefined>;
  set(account: string, secret: string): Promise<void>;
  /** Deleting what is not there is fine. */
  delete(account: string): Promise<void>;
}

/** What a keychain needs. */
export interface KeychainDeps {
  /** How the keychain is found: on Linux by `DBUS_SESSION_BUS_ADDRESS`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** How long one call may take, in milliseconds. @default {KEYCHAIN_TIMEOUT_MS} */
  readonly timeoutMs?: number | undefined;
}

/** How long the keychain may take, in milliseconds: it answers within some ten, or waits for somebody to unlock it; and it must not hold up the end of the service. */
export const KEYCHAIN_TIMEOUT_MS = 3000;

/** Longest answer of the process, in UTF-16 units: a session has at most 8,000, each of which may be escaped. */
const ANSWER_LENGTH_MAX = 64 * 1024;

/** Under this name the keychain shows what is ours. */
const SERVICE = 'crewroom';

const PROGRAM = fileURLToPath(new URL('keychain-process.js', import.meta.url));

/** Opens the keychain of the system; that does nothing yet. Each call is a process, which is ended when it takes too long. */
export function openKeychain(deps: KeychainDeps): Keychain {
  const ask = (request: KeychainRequest, signal?: AbortSignal): Promise<KeychainAnswer> =>
    askProcess(request, {...deps, signal});
  return {
    get: async (account, {signal} = {}) => (await ask({action: 'get', account}, signal)).secret,
    set: async (account, secret) => void (await ask({action: 'set', account, secret})),
    delete: async account => void (await ask({action: 'delete', account})),
  };
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

interface CallDeps extends KeychainDeps {
  readonly signal: AbortSignal | undefined;
}

async function askProcess(request: KeychainRequest, deps: CallDeps): Promise<KeychainAnswer> {
  const {secret = ''} = request;
  const answer = parseAnswer(await runProcess(JSON.stringify({service: SERVICE, ...request}), deps));
  if (answer.problem !== undefined) throw unavailable(cleanText(answer.problem, [secret]));
  return answer;
}

async function runProcess(input: string, deps: CallDeps): Promise<string> {
  const {environment, timeoutMs = KEYCHAIN_TIMEOUT_MS, signal} = deps;
  signal?.throwIfAborted();
  // Inside of Electron its program is ours; the variable makes it behave as Node.
  const env = {...environment, ELECTRON_RUN_AS_NODE: '1'};
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM], {env, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true});
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(unavailable(`it does not answer within ${timeoutMs} ms; it may be locked`));
    }, timeoutMs);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (output.length <= ANSWER_LENGTH_MAX) return;
      child.kill('SIGKILL');
      reject(unavailable(`its answer is larger than ${ANSWER_LENGTH_MAX} characters`));
    });
    child.once('error', error => reject(unavailable(error.message)));
    const abort = (): void => {
      child.kill('SIGKILL');
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, {once: true});
    child.once('close', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      resolve(output);
    });
    // One that ends before it has read everything says so by its answer.
    child.stdin.on('error', () => {}).end(input);
  });
}

function parseAnswer(output: string): KeychainAnswer {
  try {
    return JSON.parse(output) as KeychainAnswer;
  } catch {
    // Never the output itself, which may be half of a secret.
    return {problem: 'the library that asks it cannot be used on this machine'};
  }
}

function unavailable(problem: string): AppError {
  return new AppError({code: 'keychain-unavailable', problem});
}
