import assert from 'node:assert/strict';
import {mkdir, readFile, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import type {PluginLogLine, PluginRequest} from '../../src/core/domain/plugins/plugin.ts';
import {AppError} from '../../src/core/failures/app-error.ts';
import type {Failure} from '../../src/core/failures/failure.ts';
import type {Timers} from '../../src/core/time/timers.ts';
import {Background, type BackgroundDeps} from '../../src/plugins/background/background.ts';
import type {Calls} from '../../src/plugins/background/calls.ts';
import {Secrets} from '../../src/plugins/background/log/secrets.ts';
import {makeTemporaryDirectory} from './service.ts';

/** A background that runs, in a folder of its own. */
export interface TestBackground extends AsyncDisposable {
  readonly background: Background;
  readonly directory: string;
  readonly storagePath: string;
  readonly lines: readonly PluginLogLine[];
  /** Returns the line that contains a text, once it is logged. */
  readonly line: (text: string) => Promise<PluginLogLine>;
  /** Calls a route. */
  readonly call: (name: string, request?: Partial<PluginRequest>) => ReturnType<Calls['send']>;
  /** Calls a route and returns its answer as JSON. */
  readonly json: (name: string, request?: Partial<PluginRequest>) => Promise<unknown>;
}

/** Timers that do not keep the process alive. */
const REAL_TIMERS: Timers = {
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs).unref();
    return () => clearTimeout(timer);
  },
};

/** Timers that a test fires. */
export class ManualTimers implements Timers {
  readonly #waiting = new Set<{readonly delayMs: number; readonly run: () => void}>();

  after(delayMs: number, run: () => void): () => void {
    const timer = {delayMs, run};
    this.#waiting.add(timer);
    return () => this.#waiting.delete(timer);
  }

  /** Fires the timers with this delay, and returns their number. */
  fire(delayMs: number): number {
    const due = [...this.#waiting].filter(timer => timer.delayMs === delayMs);
    for (const timer of due) {
      this.#waiting.delete(timer);
      timer.run();
    }
    return due.length;
  }
}

/** The lines that a background has logged. */
class TestLog {
  readonly lines: PluginLogLine[] = [];
  readonly #waiting = new Set<() => void>();

  add(line: PluginLogLine): void {
    this.lines.push(line);
    for (const check of this.#waiting) check();
  }

  /** Returns the line that contains a text, once it is logged. */
  wait(text: string): Promise<PluginLogLine> {
    return new Promise(resolve => {
      const check = (): void => {
        const found = this.lines.find(each => each.text.includes(text));
        if (found === undefined) return;
        this.#waiting.delete(check);
        resolve(found);
      };
      this.#waiting.add(check);
      check();
    });
  }
}

/** Token of every background that {@link startTestBackground} starts. */
export const TEST_TOKEN = `crewroom_${'t'.repeat(43)}`;

/** An identity with a session and a token. */
export const TEST_IDENTITY = {
  va_user: {session: 'session-of-the-pilot'},
  vendor_design_user: {token: 'token-of-the-platform'},
};

/**
 * Starts a background, whether it loads or not.
 *
 * @param files Content of its files, by path in the folder of the plugin.
 */
export async function startTestBackground(
  files: Readonly<Record<string, string>>,
  deps: Partial<BackgroundDeps> = {},
): Promise<TestBackground> {
  const temporary = await makeTemporaryDirectory();
  const directory = join(temporary.path, 'com.example.test');
  const storagePath = join(temporary.path, 'storage');
  await mkdir(storagePath);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), {recursive: true});
    await writeFile(join(directory, name), content);
  }
  const log = new TestLog();
  const secrets = new Secrets();
  const json = Buffer.from(JSON.stringify(TEST_IDENTITY));
  secrets.learn(json);
  const background = new Background({
    id: 'com.example.test',
    directory,
    file: join(directory, Object.keys(files)[0] ?? ''),
    storagePath,
    identity: {json, summary: 'a pilot'},
    servicePort: 7172,
    serviceHosts: ['localhost', '127.0.0.1'],
    token: TEST_TOKEN,
    environment: process.env,
    secrets,
    onLog: line => log.add(line),
    nowMs: Date.now,
    timers: REAL_TIMERS,
    ...deps,
  });
  const call: TestBackground['call'] = (name, request = {}) => {
    const asked = {method: 'GET', name, url: `/api/com.example.test/${name}`, rawHeaders: [], body: EMPTY} as const;
    return background.calls.send({...asked, ...request}, new AbortController().signal);
  };
  return {
    background,
    directory,
    storagePath,
    lines: log.lines,
    line: text => log.wait(text),
    call,
    json: async (name, request) => {
      const {body} = await call(name, request);
      return body.kind === 'bytes' ? JSON.parse(Buffer.from(body.bytes).toString()) : body;
    },
    [Symbol.asyncDispose]: async () => {
      await background.stop();
      await temporary[Symbol.asyncDispose]();
    },
  };
}

/** Returns the failure that a call ends with. */
export async function failureOf(call: Promise<unknown>): Promise<Failure> {
  const error: unknown = await call.then(
    () => assert.fail('it did not fail'),
    reason => reason,
  );
  if (error instanceof AppError) return error.failure as Failure;
  throw error;
}

/** Returns whether a process runs; one that has ended may wait for its parent. */
export async function isRunning(pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return canSignal(pid);
  const state = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  return state !== '' && !/\) [ZX] /.test(state);
}

function canSignal(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const EMPTY = new Uint8Array();
