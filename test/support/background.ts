import {mkdir, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import type {PluginLogLine, PluginRequest} from '../../src/domain/plugin.ts';
import {type Background, type BackgroundDeps, startBackground} from '../../src/plugins/background/background.ts';
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
  readonly call: (name: string, request?: Partial<PluginRequest>) => ReturnType<Background['call']>;
  /** Calls a route and returns its answer as JSON. */
  readonly json: (name: string, request?: Partial<PluginRequest>) => Promise<unknown>;
}

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
  const lines: PluginLogLine[] = [];
  const waiting = new Set<() => void>();
  const secrets = new Secrets();
  const json = Buffer.from(JSON.stringify(TEST_IDENTITY));
  secrets.learn(json);
  const background = startBackground({
    id: 'com.example.test',
    directory,
    file: join(directory, Object.keys(files)[0] ?? ''),
    storagePath,
    identity: {json, summary: 'a pilot'},
    servicePort: 7172,
    environment: process.env,
    secrets,
    onLog: line => {
      lines.push(line);
      for (const check of waiting) check();
    },
    nowMs: Date.now,
    timers: {
      after: (delayMs, run) => {
        const cancelled = new AbortController();
        delay(delayMs, undefined, {signal: cancelled.signal, ref: false}).then(run, () => {});
        return () => cancelled.abort();
      },
    },
    ...deps,
  });
  const line = (text: string): Promise<PluginLogLine> =>
    new Promise(resolve => {
      const check = (): void => {
        const found = lines.find(each => each.text.includes(text));
        if (found === undefined) return;
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      check();
    });
  const call: TestBackground['call'] = (name, request = {}) => {
    const asked = {method: 'GET', name, url: `/api/com.example.test/${name}`, rawHeaders: [], body: EMPTY} as const;
    return background.call({...asked, ...request}, new AbortController().signal);
  };
  return {
    background,
    directory,
    storagePath,
    lines,
    line,
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

const EMPTY = new Uint8Array();
