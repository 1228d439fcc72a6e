import {type ChildProcess, fork} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';

/** A store in a process of its own, to be killed, traced, or refused. */
export interface StoreProcess extends AsyncDisposable {
  /** The process that holds the store; the tracer's where there is one. */
  readonly processId: number;
  /** Rejects with a {@link ProcessFailure} when the store failed. */
  call(
    name: 'open',
    options: {readonly directory: string; readonly newStoreId?: boolean; readonly aheadMs?: number},
  ): Promise<void>;
  /** Opens files until the operating system allows only so many more. */
  call(name: 'takeDescriptors', options: {readonly left: number}): Promise<void>;
  call(
    name: 'put',
    options: {readonly key: string; readonly json: string; readonly expiresAtMs?: number},
  ): Promise<number>;
  /** Puts and deletes together. */
  call(
    name: 'commit',
    options: {
      readonly puts?: readonly {readonly key: string; readonly json: string}[];
      readonly deletes?: readonly string[];
      readonly id?: string;
    },
  ): Promise<number>;
  call(name: 'sweep'): Promise<number | undefined>;
  /** The changes after a revision, without their values. */
  call(name: 'changes', options: {readonly after: number}): Promise<ProcessChanges>;
  /** Puts, and reads in every tick until the put is answered. */
  call(name: 'putWhileReading', options: {readonly key: string; readonly json: string}): Promise<number>;
  call(name: 'delete', options: {readonly key: string}): Promise<string>;
  /** Removes the time of expiry of an entry. */
  call(name: 'touch', options: {readonly key: string}): Promise<string>;
  call(name: 'get', options: {readonly key: string}): Promise<string | undefined>;
  call(name: 'keys'): Promise<readonly string[]>;
  call(name: 'keysOfSnapshot'): Promise<readonly string[]>;
  /** The process that holds the lock of a directory. */
  call(name: 'findHolder', options: {readonly directory: string}): Promise<number | undefined>;
  /** Asserts that an environment can be opened, as on Windows. */
  call(name: 'assertOpensOnWindows', options: {readonly directory: string}): Promise<void>;
  call(name: 'readOnlyBecause'): Promise<string | undefined>;
  call(name: 'close'): Promise<void>;
  /** Kills itself, which ends a tracer as well. */
  call(name: 'die'): Promise<never>;
  /** Ends the process as a power switch would. */
  kill(): Promise<void>;
}

/** Changes of a store in another process. */
export interface ProcessChanges {
  readonly kind: 'changes' | 'reset';
  readonly revision: number;
  readonly changes: readonly {readonly kind: string; readonly key: string; readonly revision: number}[];
}

/** Failure of a store in another process. */
export class ProcessFailure extends Error {
  readonly failure: {readonly code: string};

  constructor(failure: {readonly code: string}) {
    super(JSON.stringify(failure));
    this.failure = failure;
  }
}

/** How a process is started. */
export interface StartOptions {
  /** A program and its arguments that run the process, such as a tracer. */
  readonly under?: readonly string[];
  /** More variables of its environment. */
  readonly environment?: Readonly<Record<string, string>>;
}

const PROGRAM = fileURLToPath(new URL('store-process.js', import.meta.url));

/** Starts a process without a store. */
export async function startStoreProcess({under = [], environment}: StartOptions = {}): Promise<StoreProcess> {
  const [execPath = process.execPath, ...execArgv] = [...under, process.execPath];
  const env = {...process.env, ...environment};
  const child = fork(PROGRAM, [], {execPath, execArgv, env, stdio: ['ignore', 'inherit', 'ignore', 'ipc']});
  await once(child, 'message');
  return new ForkedStore(child);
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: {readonly code: string};
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

class ForkedStore implements StoreProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'exit');
    child.on('message', answer => this.#onAnswer(answer as Answer));
    child.on('exit', () => {
      for (const {reject} of this.#waiting.values()) reject(new ProcessFailure({code: 'killed'}));
    });
  }

  get processId(): number {
    return this.#child.pid ?? 0;
  }

  call(name: string, options: object = {}): Promise<never> {
    const id = ++this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, {resolve, reject});
      this.#child.send({id, name, options}, error => {
        if (error) reject(new ProcessFailure({code: 'killed'}));
      });
    });
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }

  #onAnswer({id, value, failure}: Answer): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (failure === undefined) waiting?.resolve(value as never);
    else waiting?.reject(new ProcessFailure(failure));
  }
}
