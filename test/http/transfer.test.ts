import {once} from 'node:events';
import {connect} from 'node:net';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import type {Snapshot, Store} from '../../src/core/domain/commits/store.ts';
import type {LogFields} from '../../src/core/domain/log.ts';
import {AppError} from '../../src/core/failures/app-error.ts';
import {openMemoryStore} from '../../src/store/memory/memory-store.ts';
import {exportText, formatExport, importText, manyEntries} from '../support/exports.ts';
import {startService, type TestService} from '../support/service.ts';

/** Number of open snapshots, and the behaviour of reads. */
const snapshots = {open: 0, taken: 0, beforePage: async (_page: number): Promise<void> => {}};
const lines: {readonly message: string; readonly about: LogFields | undefined}[] = [];
let service: TestService;

beforeEach(async () => {
  snapshots.open = 0;
  snapshots.taken = 0;
  snapshots.beforePage = async () => {};
  lines.length = 0;
  const log = (message: string, about?: LogFields): void => void lines.push({message, about});
  service = await startService(
    {ephemeral: true},
    {openStore: async () => watched(openMemoryStore({nowMs: Date.now})), log: {error: log, info: log, debug: log}},
  );
});
afterEach(() => service[Symbol.asyncDispose]());

/** A store that counts its snapshots. */
function watched(store: Store): Store {
  const take = async (): Promise<Snapshot> => {
    const snapshot = await store.snapshot();
    snapshots.open++;
    snapshots.taken++;
    let isOpen = true;
    let page = 0;
    return {
      revision: snapshot.revision,
      list: (async (range: never) => {
        await snapshots.beforePage(++page);
        return snapshot.list(range);
      }) as Snapshot['list'],
      [Symbol.asyncDispose]: async () => {
        if (isOpen) snapshots.open--;
        isOpen = false;
        await snapshot[Symbol.asyncDispose]();
      },
    };
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === 'snapshot') return take;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** Resolves when a condition holds; it depends on the other side of a socket. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(resolve => setTimeout(resolve, 5));
}

function fetchPath(path: string, init?: RequestInit & {readonly duplex?: 'half'}): Promise<Response> {
  return fetch(`${service.url}${path}`, init);
}

function postImport(text: string, query = ''): Promise<Response> {
  return fetchPath(`/api/import${query}`, {method: 'POST', body: text});
}

async function keys(): Promise<readonly string[]> {
  return (await service.crewroom.entries.list({limit: 1000})).entries.map(({key}) => key);
}

describe('GET /api/export', () => {
  test('streams the lines, with a file name', async () => {
    await service.crewroom.entries.put('a/1', Buffer.from('[1.0]'));
    await service.crewroom.entries.put('b', 2);
    const response = await fetchPath('/api/export?prefix=a/');
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'application/x-ndjson; charset=utf-8',
    ]);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="crewroom-2.ndjson"');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-length')).toBeNull();
    expect(await response.text()).toBe(await exportText(service.crewroom.transfer, 'a/'));
  });

  test('has the same headers for HEAD, and leaves no snapshot open', async () => {
    const response = await fetchPath('/api/export', {method: 'HEAD'});
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="crewroom-0.ndjson"');
    await until(() => snapshots.taken === 1 && snapshots.open === 0);
    const embedded = await service.crewroom.fetch(
      new Request(`http://localhost:${service.port}/api/export`, {method: 'HEAD'}),
    );
    expect(embedded.status).toBe(200);
    await until(() => snapshots.taken === 2 && snapshots.open === 0);
  });

  test('refuses unknown parameters', async () => {
    for (const query of ['?x=1', '?prefix=%00', '?prefix=a&prefix=b']) {
      const response = await fetchPath(`/api/export${query}`);
      expect([response.status, await response.json()]).toEqual([
        400,
        expect.objectContaining({code: 'invalid-parameter'}),
      ]);
    }
    expect(snapshots.taken).toBe(0);
  });

  test('leaves no snapshot open after a hundred concurrent exports, half of them aborted', async () => {
    await importText(service.crewroom.transfer, formatExport(manyEntries(5000)));
    const whole = await (await fetchPath('/api/export')).text();
    const texts = await Promise.all(
      Array.from({length: 100}, async (_, index) => {
        const response = await fetchPath('/api/export');
        if (index % 2 === 0) return response.text();
        await response.body?.cancel();
        return whole;
      }),
    );
    expect(new Set(texts)).toEqual(new Set([whole]));
    await until(() => snapshots.open === 0);
    expect(snapshots.taken).toBe(101);
  });

  test('stops reading when its client does, and ends when it disconnects', async () => {
    const large = Array.from({length: 100}, (_, index) => [`k${index}`, `"${'x'.repeat(900_000)}"`] as const);
    await importText(service.crewroom.transfer, formatExport(large));
    let pages = 0;
    snapshots.beforePage = async page => {
      pages = page;
    };
    const socket = connect(service.port, '127.0.0.1');
    socket.write(`GET /api/export HTTP/1.1\r\nHost: localhost:${service.port}\r\n\r\n`);
    await once(socket, 'data');
    socket.pause();
    // The buffers of a socket hold a few megabytes, not a hundred.
    await new Promise(resolve => setTimeout(resolve, 300));
    expect(pages).toBeLessThan(50);
    expect(snapshots.open).toBe(1);
    socket.destroy();
    await until(() => snapshots.open === 0);
  });

  test('fails if the first entry is damaged', async () => {
    snapshots.beforePage = async () => {
      throw new AppError({code: 'entry-corrupt', key: 'broken'});
    };
    const response = await fetchPath('/api/export');
    expect([response.status, await response.json()]).toEqual([
      500,
      expect.objectContaining({code: 'entry-corrupt', key: 'broken'}),
    ]);
    expect(snapshots.open).toBe(0);
  });

  test('is truncated at a damaged entry, and the log names it', async () => {
    await importText(service.crewroom.transfer, formatExport(manyEntries(3000)));
    snapshots.beforePage = async page => {
      if (page === 4) throw new AppError({code: 'entry-corrupt', key: 'broken'});
    };
    const response = await fetchPath('/api/export');
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    await until(() => lines.length > 0);
    expect(JSON.stringify(lines.map(({message, about}) => [message, about, String(about?.['error'])]))).toContain(
      'broken',
    );
    expect(snapshots.open).toBe(0);
  });
});

describe('POST /api/import', () => {
  test('answers with counts', async () => {
    const text = formatExport([
      ['a', '1'],
      ['b', '2'],
    ]);
    const done = {entries: 2, created: 2, replaced: 0, expired: 0, deleted: 0, batches: 1};
    const dry = await postImport(text, '?dryRun=true&mode=merge');
    expect([dry.status, await dry.json()]).toEqual([200, {...done, dryRun: true, revision: '0'}]);
    expect(await keys()).toEqual([]);
    const response = await postImport(text);
    expect([response.status, await response.json()]).toEqual([200, {...done, dryRun: false, revision: '1'}]);
    await service.crewroom.entries.put('c', 3);
    expect(await (await postImport(text, '?mode=replace')).json()).toMatchObject({replaced: 2, deleted: 1});
    expect(await keys()).toEqual(['a', 'b']);
  });

  test('accepts the stream of an export of another service', async () => {
    await importText(service.crewroom.transfer, formatExport(manyEntries(3000)));
    await using other = await startService({ephemeral: true});
    const {body} = await fetchPath('/api/export');
    const response = await fetch(`${other.url}/api/import`, {method: 'POST', body, duplex: 'half'} as RequestInit);
    expect(await response.json()).toMatchObject({entries: 3000, created: 3000, batches: 3});
  });

  const refused: readonly {
    name: string;
    query?: string;
    headers?: Record<string, string>;
    status: number;
    code: string;
  }[] = [
    {name: 'an unknown parameter', query: '?x=1', status: 400, code: 'invalid-parameter'},
    {name: 'an unknown mode', query: '?mode=erase', status: 400, code: 'invalid-parameter'},
    {name: 'a dry run that is neither true nor false', query: '?dryRun=1', status: 400, code: 'invalid-parameter'},
    {name: 'a compressed body', headers: {'Content-Encoding': 'gzip'}, status: 415, code: 'unsupported-body'},
    {
      name: 'a multipart body',
      headers: {'Content-Type': 'multipart/form-data; boundary=x'},
      status: 415,
      code: 'unsupported-body',
    },
  ];
  for (const {name, query = '', headers = {}, status, code} of refused) {
    test(`refuses ${name}`, async () => {
      const body = formatExport([['a', '1']]);
      const response = await fetchPath(`/api/import${query}`, {method: 'POST', body, headers});
      expect([response.status, await response.json()]).toEqual([status, expect.objectContaining({code})]);
      expect(await keys()).toEqual([]);
    });
  }

  test('refuses invalid lines with their number', async () => {
    const response = await postImport(formatExport([['a', 'x']]));
    expect([response.status, await response.json()]).toEqual([
      422,
      expect.objectContaining({
        ...{code: 'invalid-import', line: 2, imported: 0, batches: 0},
        detail: 'Cannot import line 2: expected a value, found "x" at its byte 19; nothing was stored',
      }),
    ]);
  });

  test('answers a client that keeps sending for ever', async () => {
    const body = new ReadableStream({
      pull: controller => controller.enqueue(Buffer.from('nonsense\n'.repeat(1000))),
    });
    const response = await fetchPath('/api/import', {method: 'POST', body, duplex: 'half'});
    expect([response.status, await response.json()]).toEqual([422, expect.objectContaining({line: 1})]);
  });

  test('stores no entries of a client that disconnects early', async () => {
    const socket = connect(service.port, '127.0.0.1');
    const text = formatExport(manyEntries(500));
    socket.write(
      `POST /api/import HTTP/1.1\r\nHost: localhost:${service.port}\r\nContent-Length: ${text.length}\r\n\r\n`,
    );
    socket.write(text.slice(0, text.length - 10));
    await once(socket, 'connect');
    socket.end();
    socket.on('error', () => {});
    await until(() => lines.length > 0);
    expect(lines[0]?.about).toMatchObject({code: 'malformed-request'});
    expect(await keys()).toEqual([]);
    socket.destroy();
  });
});
