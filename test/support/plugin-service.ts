import assert from 'node:assert/strict';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import type {ServiceParts} from '../../src/app/crewroom.ts';
import type {IdentitySource} from '../../src/core/domain/identity/identity.ts';
import {Listeners} from '../../src/core/domain/listeners.ts';
import type {Log, LogFields} from '../../src/core/domain/log.ts';
import type {PluginStatus, Plugins} from '../../src/core/domain/plugins/plugin.ts';
import type {Config} from '../../src/platform/config/config.ts';
import {summarise} from '../../src/service/identity/identity-document.ts';
import {SAMPLE_DOCUMENT} from '../../src/service/identity/sample-document.ts';
import {makeTemporaryDirectory, startService, type TestService} from './service.ts';

/** A service that runs plugins of a temporary directory. */
export interface PluginService extends TestService {
  /** The directory of installed plugins. */
  readonly directory: string;
  /** Everything that was logged. */
  readonly logged: readonly LogLine[];
  /** Resolves with a line of the log that contains a text in its message or fields. */
  line(text: string): Promise<LogLine>;
  /** Resolves once the status of a plugin satisfies a condition. */
  until(id: string, condition: (status: PluginStatus) => boolean): Promise<PluginStatus>;
  /** Calls a route of a plugin and returns its answer as JSON. */
  json(id: string, name: string, body?: object): Promise<unknown>;
}

/** A line of the log. */
export interface LogLine extends LogFields {
  readonly level: keyof Log;
  readonly message: string;
}

/**
 * Starts a service with plugins. It ends with the test.
 *
 * @param prepare Writes the plugins into their directory before the service starts.
 */
export async function startPlugins(
  prepare: (directory: string) => Promise<unknown>,
  options: Partial<Config> = {},
  parts: Partial<ServiceParts> = {},
): Promise<PluginService> {
  const home = await makeTemporaryDirectory();
  onTestFinished(() => home[Symbol.asyncDispose]());
  const directory = join(home.path, 'plugins');
  await prepare(directory);
  const {log, logged, onLine} = recordLog();
  const service = await startService({pluginsDir: directory, ...options}, {log, ...parts});
  onTestFinished(() => service[Symbol.asyncDispose]());
  const {plugins} = service.crewroom;
  await plugins.ready();
  return {
    ...service,
    directory,
    logged,
    line: text => waitFor(onLine, () => logged.find(line => JSON.stringify(line).includes(text))),
    until: (id, condition) =>
      waitFor(
        listener => plugins.onState(listener),
        () => plugins.list().find(status => status.id === id && condition(status)),
      ),
    json: async (id, name, body) => {
      const method = body === undefined ? 'GET' : 'POST';
      const rawHeaders = ['content-type', 'application/json'];
      const sent = Buffer.from(body === undefined ? '' : JSON.stringify(body));
      const request = {method, name, url: `/api/${id}/${name}`, rawHeaders, body: sent} as const;
      const plugin = plugins.find(id) ?? assert.fail(`there is no plugin ${id}`);
      const answer = await plugin.call(request, new AbortController().signal);
      return answer.body.kind === 'bytes' ? JSON.parse(Buffer.from(answer.body.bytes).toString()) : answer.body;
    },
  };
}

/** Waits until a value can be found, which is tried again after each call of a listener. */
async function waitFor<T>(listen: (listener: () => void) => () => void, find: () => T | undefined): Promise<T> {
  const found = find();
  if (found !== undefined) return found;
  return new Promise(resolve => {
    const stop = listen(() => {
      const later = find();
      if (later === undefined) return;
      stop();
      resolve(later);
    });
  });
}

function recordLog(): {log: Log; logged: LogLine[]; onLine: (listener: () => void) => () => void} {
  const logged: LogLine[] = [];
  const listeners = new Listeners();
  const write =
    (level: keyof Log) =>
    (message: string, about: LogFields = {}) => {
      logged.push({...about, level, message});
      listeners.call();
    };
  const log = {error: write('error'), info: write('info'), debug: write('debug')};
  return {log, logged, onLine: listener => listeners.add(listener)};
}

/** An identity that a test changes. */
export interface ChangingIdentity extends IdentitySource {
  /** Signs a pilot in whose account has these members, or signs out. */
  change(account: object | undefined, others?: object): void;
}

/** Creates an identity that a test can change; at first it is the sample. */
export function changingIdentity(): ChangingIdentity {
  const listeners = new Listeners();
  let document: typeof SAMPLE_DOCUMENT | undefined = SAMPLE_DOCUMENT;
  return {
    origin: {kind: 'sample'},
    current: () =>
      document === undefined ? undefined : {json: Buffer.from(JSON.stringify(document)), summary: summarise(document)},
    change: (account, others = {}) => {
      document =
        account === undefined
          ? undefined
          : {...SAMPLE_DOCUMENT, ...others, va_user: {...SAMPLE_DOCUMENT.va_user, ...account}};
      listeners.call();
    },
    onChange: listener => listeners.add(listener),
    [Symbol.asyncDispose]: async () => listeners.clear(),
  };
}

/** Waits until the background of a plugin runs. */
export async function untilRunning(plugins: Plugins, id: string): Promise<void> {
  await waitFor(
    listener => plugins.onState(listener),
    () => plugins.list().find(status => status.id === id && status.state === 'running'),
  );
}
