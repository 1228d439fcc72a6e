import {describe, expect, onTestFinished, test} from 'vitest';
import type {Store} from '../../src/core/domain/commits/store.ts';
import type {LogFields} from '../../src/core/domain/log.ts';
import {AppError, describeFailure} from '../../src/core/failures/app-error.ts';
import type {Failure} from '../../src/core/failures/failure.ts';
import {openMemoryStore} from '../../src/store/memory/memory-store.ts';
import {startService, type TestService} from '../support/service.ts';

interface Line {
  readonly level: string;
  readonly message: string;
  readonly about: LogFields;
}

/** Starts a service whose store fails as requested, and collects its log. */
async function startFailing(fail: () => Promise<never>): Promise<{service: TestService; lines: Line[]}> {
  const lines: Line[] = [];
  const to =
    (level: string) =>
    (message: string, about: LogFields = {}): void =>
      void lines.push({level, message, about});
  const openStore = async (): Promise<Store> => {
    const store = openMemoryStore({nowMs: Date.now});
    return {
      commit: fail,
      get: fail,
      findShared: () => undefined,
      list: fail,
      changes: fail,
      onChange: () => () => {},
      snapshot: fail,
      sweep: async () => undefined,
      statistics: async () => undefined,
      id: store.id,
      revision: 0,
      readOnlyBecause: 'a test',
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    };
  };
  const service = await startService({}, {openStore, log: {error: to('error'), info: to('info'), debug: to('debug')}});
  onTestFinished(() => service[Symbol.asyncDispose]());
  return {service, lines};
}

const REQUESTS = [
  {method: 'GET', path: '/api/store/k?', body: null},
  {method: 'PUT', path: '/api/store/k', body: '1'},
  {method: 'PATCH', path: '/api/store/k', body: '{}'},
  {method: 'POST', path: '/api/transactions', body: '{"operations":[]}'},
  {method: 'DELETE', path: '/api/store/k', body: null},
  {method: 'GET', path: '/api/keys?prefix=secret', body: null},
  {method: 'DELETE', path: '/api/keys?prefix=secret', body: null},
];

describe('an unexpected failure', () => {
  for (const {method, path, body} of REQUESTS) {
    test(`of ${method} ${path} is shown by its request id, and logged in full`, async () => {
      const defect = new TypeError('secret of /home/pilot/store.ts');
      const {service, lines} = await startFailing(async () => {
        throw defect;
      });
      const response = await fetch(`${service.url}${path}`, {method, body});
      const text = await response.text();
      expect(response.status).toBe(500);
      expect(text).not.toMatch(/secret|TypeError|\.ts|node_modules| {2}at /);
      const problem = JSON.parse(text) as {code: string; instance: string; detail: string};
      expect(problem).toMatchObject({code: 'internal', status: 500, detail: expect.stringContaining(problem.instance)});
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatchObject({
        level: 'error',
        about: {requestId: problem.instance, method, path: path.split('?')[0], status: 500, error: defect},
      });
    });
  }

  test('that is not an Error is shown in the same way', async () => {
    const {service} = await startFailing(() => Promise.reject('secret'));
    const response = await fetch(`${service.url}/api/store/k`);
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('secret')]);
  });

  test('does not end the service', async () => {
    const {service} = await startFailing(async () => {
      throw new Error('again');
    });
    for (let round = 0; round < 3; round++) await (await fetch(`${service.url}/api/store/k`)).text();
    expect((await fetch(`${service.url}/livez`)).status).toBe(200);
  });
});

describe('an expected failure of the store', () => {
  const failures: readonly {readonly failure: Failure; readonly status: number; readonly retryAfter?: string}[] = [
    {failure: {code: 'disk-full'}, status: 507},
    {failure: {code: 'store-read-only', problem: 'EIO'}, status: 503, retryAfter: '60'},
    {failure: {code: 'busy', what: 'store', max: 4096}, status: 503, retryAfter: '1'},
    {failure: {code: 'store-closed'}, status: 503, retryAfter: '5'},
    {failure: {code: 'entry-corrupt', key: 'k'}, status: 500},
    {failure: {code: 'unavailable', what: 'store', problem: 'no quorum'}, status: 503, retryAfter: '2'},
    {failure: {code: 'outcome-unknown', commitId: '5f0c'}, status: 504},
  ];
  for (const {failure, status, retryAfter = null} of failures) {
    test(`${failure.code} is ${status}, says what to do, and is in the log`, async () => {
      const {service, lines} = await startFailing(async () => {
        throw new AppError(failure);
      });
      const response = await fetch(`${service.url}/api/store/k`);
      expect([response.status, response.headers.get('Retry-After')]).toEqual([status, retryAfter]);
      expect(await response.json()).toMatchObject({...failure, status, advice: expect.any(String)});
      const about = expect.objectContaining({code: failure.code, problem: describeFailure(failure)});
      expect(lines).toEqual([{level: 'error', message: 'request failed', about}]);
      // It may occur with every request: stack traces would fill the log.
      expect(lines[0]?.about).not.toHaveProperty('error');
    });
  }

  test('one that can only happen before the start is internal when it crosses HTTP', async () => {
    const {service} = await startFailing(async () => {
      throw new AppError({code: 'data-directory-in-use', directory: '/secret', processId: 1});
    });
    const response = await fetch(`${service.url}/api/store/k`);
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('secret')]);
  });

  test('readyz reports that the store is read-only', async () => {
    const {service} = await startFailing(() => Promise.reject());
    const response = await fetch(`${service.url}/readyz`);
    expect([response.status, await response.json()]).toEqual([
      503,
      expect.objectContaining({ready: false, storeState: 'read-only'}),
    ]);
  });
});

describe('an expected failure of a request', () => {
  test('is logged as debug only, and a refusal as info', async () => {
    const lines: string[] = [];
    const log = {error: () => {}, info: (message: string) => void lines.push(message), debug: () => {}};
    const service = await startService({}, {log});
    onTestFinished(() => service[Symbol.asyncDispose]());
    await fetch(`${service.url}/api/store/absent`);
    await fetch(`${service.url}/api/store/k`, {method: 'PUT', body: '1', headers: {'If-Match': '"7"'}});
    expect(lines).toEqual([]);
    await fetch(`${service.url}/api/store/k?token=secret`, {headers: {Origin: 'https://evil.example'}});
    expect(lines).toEqual(['request refused']);
  });

  test('is one line for an origin that is refused repeatedly, with the flag that would allow it', async () => {
    const lines: unknown[] = [];
    const log = {error: () => {}, info: (...line: unknown[]) => void lines.push(line), debug: () => {}};
    const service = await startService({}, {log});
    const headers = {Origin: 'http://localhost:5173'};
    for (let index = 0; index < 20; index++) await fetch(`${service.url}/api/store/${index}`, {headers});
    const refused = {origin: 'http://localhost:5173', toAllow: '--allow-origin http://localhost:5173'};
    expect(lines).toEqual([['request refused', expect.objectContaining(refused)]]);
    await service[Symbol.asyncDispose]();
    expect(lines.slice(1)).toEqual([['request refused again', expect.objectContaining({...refused, times: 19})]]);
  });
});
