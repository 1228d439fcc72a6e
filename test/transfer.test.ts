import {setImmediate} from 'node:timers/promises';
import fc from 'fast-check';
import {afterEach, describe, expect, test} from 'vitest';
import type {Service, ServiceParts} from '../src/app/crewroom.ts';
import type {Store} from '../src/core/domain/commits/store.ts';
import type {Key, Prefix} from '../src/core/domain/entries/identifiers.ts';
import type {Failure} from '../src/core/failures/failure.ts';
import {openMemoryStore} from '../src/store/memory/memory-store.ts';
import {SAMPLE_KEYS, SAMPLE_TEXTS} from './contracts/shared/samples.ts';
import {exportText, formatExport, importText, manyEntries} from './support/exports.ts';
import {makeTemporaryDirectory, openTestService} from './support/service.ts';

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

type Kind = 'memory' | 'lmdb';

async function open(kind: Kind, parts: Partial<ServiceParts> = {}): Promise<Service> {
  const directory = await makeTemporaryDirectory();
  opened.push(directory);
  const crewroom = await openTestService({ephemeral: kind === 'memory', dataDir: directory.path}, parts);
  opened.push(crewroom);
  return crewroom;
}

/** Sample keys and values. */
async function contentOf({entries}: Service): Promise<Readonly<Record<string, string>>> {
  const found: [string, string][] = [];
  let after: string | undefined;
  do {
    const page = await entries.list({after, limit: 1000, values: true});
    found.push(...page.entries.map(({key, json}): [string, string] => [key, Buffer.from(json).toString()]));
    after = page.cursor;
  } while (after !== undefined);
  return Object.fromEntries(found);
}

/** An export without its time. */
function withoutTimes(text: string): string {
  return text.replace(/"revision":"\d+"/g, '').replace(/"updatedAt":"[^"]*"/g, '');
}

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const error = await work.then(
    () => expect.fail('it did not fail'),
    thrown => thrown,
  );
  expect(error).toHaveProperty('failure');
  return (error as {readonly failure: Failure}).failure;
}

const HEADER = '{"format":"crewroom-export","version":1}';

describe.each<Kind>(['memory', 'lmdb'])('with a %s store', kind => {
  test('an export has a header, the entries in order, and a trailer', async () => {
    const crewroom = await open(kind, {nowMs: () => Date.UTC(2026, 0, 1), elapsedMs: () => 0});
    await crewroom.entries.put('b', Buffer.from('2.0'));
    await crewroom.entries.put('a', 1, {ttlSeconds: 60});
    expect(await exportText(crewroom.transfer)).toBe(
      [
        '{"format":"crewroom-export","version":1,"revision":"2","prefix":""}',
        '{"key":"a","revision":"2","updatedAt":"2026-01-01T00:00:00.000Z","expiresAt":"2026-01-01T00:01:00.000Z","value":1}',
        '{"key":"b","revision":"1","updatedAt":"2026-01-01T00:00:00.000Z","value":2.0}',
        '{"end":true,"entries":2}',
        '',
      ].join('\n'),
    );
  });

  test('an empty store is exported and imported too', async () => {
    const {transfer} = await open(kind);
    const text = await exportText(transfer);
    expect(text.split('\n')).toHaveLength(3);
    expect(await importText(transfer, text)).toEqual({
      ...{dryRun: false, entries: 0, created: 0, replaced: 0, expired: 0, deleted: 0, batches: 0},
      revision: 0,
    });
  });

  test('every sample of a key and a value is restored byte for byte', async () => {
    const from = await open(kind);
    const keys = SAMPLE_KEYS.filter(key => key !== '.' && key !== '..');
    for (const [index, key] of keys.entries())
      await from.entries.put(key, Buffer.from(SAMPLE_TEXTS[index % SAMPLE_TEXTS.length] ?? '0'));
    for (const [index, json] of SAMPLE_TEXTS.entries()) await from.entries.put(`value ${index}`, Buffer.from(json));
    const text = await exportText(from.transfer);
    const to = await open(kind);
    expect(await importText(to.transfer, text)).toMatchObject({created: keys.length + SAMPLE_TEXTS.length, batches: 1});
    expect(await contentOf(to)).toEqual(await contentOf(from));
    expect(withoutTimes(await exportText(to.transfer))).toBe(withoutTimes(text));
  });

  test('an export of more than a page has every entry once', async () => {
    const crewroom = await open(kind);
    await importText(crewroom.transfer, formatExport(manyEntries(2345)));
    const large = `"${'x'.repeat(300_000)}"`;
    for (const key of ['a', 'k000700x', 'z']) await crewroom.entries.put(key, Buffer.from(large));
    const lines = (await exportText(crewroom.transfer)).trimEnd().split('\n');
    const keys = lines.slice(1, -1).map(line => (JSON.parse(line) as {readonly key: string}).key);
    expect(keys).toEqual([...manyEntries(2345).map(([key]) => key), 'a', 'k000700x', 'z'].sort());
    expect(lines.at(-1)).toBe('{"end":true,"entries":2348}');
  });

  test('an export is of one revision during the writes of eight writers', async () => {
    const crewroom = await open(kind);
    const keys = Array.from({length: 8}, (_, index) => `${index}`.repeat(3));
    await importText(crewroom.transfer, formatExport(manyEntries(1500)));
    const write = (n: number): Promise<unknown> =>
      // Each commit writes the same number everywhere: a second revision would show as a second number.
      crewroom.entries.transact({
        operations: keys.map(key => ({kind: 'put', key, value: Buffer.from(String(n))}) as const),
      });
    await write(0);
    let going = true;
    let count = 0;
    const writers = keys.map(async () => {
      for (; going; await setImmediate()) await write(++count);
    });
    for (let round = 0; round < 5; round++) {
      const chunks: Buffer[] = [];
      const exported = await crewroom.transfer.export();
      for await (const chunk of exported) {
        chunks.push(Buffer.from(chunk));
        await write(++count);
      }
      const lines = Buffer.concat(chunks).toString().trimEnd().split('\n');
      const values = lines
        .slice(1, -1)
        .map(line => JSON.parse(line) as {key: string; value: unknown; revision: string});
      const numbers = new Set(values.filter(({key}) => keys.includes(key)).map(({value}) => value));
      expect([numbers.size, lines.length]).toEqual([1, 1510]);
      expect(Math.max(...values.map(({revision}) => Number(revision)))).toBe(exported.revision);
    }
    going = false;
    await Promise.all(writers);
  });

  test('an import of a thousand entries is one commit, and a larger one is several', async () => {
    const crewroom = await open(kind);
    const {entries, transfer} = crewroom;
    expect(await importText(transfer, formatExport(manyEntries(1000)))).toMatchObject({batches: 1, revision: 1});
    expect(await importText(transfer, formatExport(manyEntries(1001)))).toMatchObject({
      ...{created: 1, replaced: 1000, batches: 2, revision: 3},
    });
    expect((await entries.get('k001000'))?.revision).toBe(3);
    const large = Array.from({length: 20}, (_, index) => [`large ${index}`, `"${'x'.repeat(1_000_000)}"`] as const);
    expect(await importText(transfer, formatExport(large))).toMatchObject({created: 20, batches: 3});
  });

  test('an import that fails within one commit stores nothing', async () => {
    const crewroom = await open(kind);
    const text = formatExport(manyEntries(999)).replace('{"n":998}', '{"n":998');
    expect(await failureOf(importText(crewroom.transfer, text))).toMatchObject({
      ...{code: 'invalid-import', line: 1000, imported: 0, batches: 0},
    });
    expect(await contentOf(crewroom)).toEqual({});
  });

  test('an import that fails later reports what was stored, and importing again is safe', async () => {
    const crewroom = await open(kind);
    const text = formatExport(manyEntries(2500));
    expect(await failureOf(importText(crewroom.transfer, text.replace('{"n":2400}', 'x')))).toMatchObject({
      ...{code: 'invalid-import', line: 2402, imported: 2000, batches: 2},
    });
    expect(Object.keys(await contentOf(crewroom))).toHaveLength(2000);
    expect(await importText(crewroom.transfer, text)).toMatchObject({created: 500, replaced: 2000, batches: 3});
  });

  test('merge leaves other entries, replace deletes them, under the prefix of the export only', async () => {
    const crewroom = await open(kind);
    const before = {'a/old': '1', 'a/same': '2', 'b/other': '3'};
    for (const [key, json] of Object.entries(before)) await crewroom.entries.put(key, Buffer.from(json));
    const text = formatExport(
      [
        ['a/new', '4'],
        ['a/same', '5'],
      ],
      {prefix: 'a/'},
    );
    expect(await importText(crewroom.transfer, text)).toMatchObject({created: 1, replaced: 1, deleted: 0});
    expect(await contentOf(crewroom)).toEqual({...before, 'a/new': '4', 'a/same': '5'});
    expect(await importText(crewroom.transfer, text, {mode: 'replace'})).toMatchObject({
      ...{created: 0, replaced: 2, deleted: 1, batches: 1, revision: 5},
    });
    expect(await contentOf(crewroom)).toEqual({'a/new': '4', 'a/same': '5', 'b/other': '3'});
  });

  test('replace works in pages too, and keeps entries that were written meanwhile', async () => {
    const crewroom = await open(kind);
    await importText(crewroom.transfer, formatExport(manyEntries(3000)));
    await crewroom.entries.put('k000001', 'touched');
    const text = formatExport(manyEntries(3000).filter((_, index) => index % 2 === 0));
    const chunks = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from(text.slice(0, 1000));
      await crewroom.entries.put('k000003', 'meanwhile');
      await crewroom.entries.put('new', 'meanwhile');
      yield Buffer.from(text.slice(1000));
    };
    expect(await crewroom.transfer.import(chunks(), {mode: 'replace'})).toMatchObject({
      ...{entries: 1500, replaced: 1500, deleted: 1499, batches: 2},
    });
    const content = await contentOf(crewroom);
    expect(Object.keys(content)).toHaveLength(1502);
    expect(content).toMatchObject({k000003: '"meanwhile"', new: '"meanwhile"'});
  });

  test('replace with nothing deletes everything', async () => {
    const crewroom = await open(kind);
    await importText(crewroom.transfer, formatExport(manyEntries(2001)));
    expect(await importText(crewroom.transfer, formatExport([]), {mode: 'replace'})).toMatchObject({
      ...{entries: 0, deleted: 2001, batches: 0},
    });
    expect(await contentOf(crewroom)).toEqual({});
  });

  test('a dry run reports the same, and changes nothing', async () => {
    const texts = [
      formatExport(manyEntries(10)),
      formatExport(manyEntries(2500)),
      formatExport(manyEntries(900).slice(500)),
      formatExport([]),
    ];
    for (const mode of ['merge', 'replace'] as const) {
      for (const text of texts) {
        const crewroom = await open(kind);
        await importText(crewroom.transfer, formatExport(manyEntries(700)));
        await crewroom.entries.put('other', 1);
        const before = await exportText(crewroom.transfer);
        const {revision, dryRun, ...wouldBe} = await importText(crewroom.transfer, text, {mode, dryRun: true});
        expect({revision, dryRun}).toEqual({revision: 2, dryRun: true});
        expect(await exportText(crewroom.transfer)).toBe(before);
        expect(await importText(crewroom.transfer, text, {mode})).toMatchObject(wouldBe);
      }
    }
  });

  test('a dry run reports defects', async () => {
    const {transfer} = await open(kind);
    const text = formatExport(manyEntries(2500)).replace('"k002400"', '""');
    expect(await failureOf(importText(transfer, text, {dryRun: true}))).toMatchObject({
      ...{code: 'invalid-import', line: 2402, imported: 0, batches: 0},
    });
  });

  test('the last of several lines with one key counts', async () => {
    const crewroom = await open(kind);
    const twice = formatExport([
      ['a', '1'],
      ['b', '2'],
      ['a', '3'],
    ]);
    expect(await importText(crewroom.transfer, twice)).toMatchObject({entries: 3, created: 2, replaced: 0});
    expect(await contentOf(crewroom)).toEqual({a: '3', b: '2'});
    const apart = formatExport([...manyEntries(1000), ['k000000', '"last"']]);
    await importText(crewroom.transfer, apart);
    expect((await contentOf(crewroom))['k000000']).toBe('"last"');
  });

  test('entries keep their time of expiry, and those that expired are left out', async () => {
    let now = Date.UTC(2026, 0, 1);
    const from = await open(kind, {nowMs: () => now});
    await from.entries.put('short', 1, {ttlSeconds: 60});
    await from.entries.put('long', 2, {ttlSeconds: 600});
    await from.entries.put('ever', 3);
    const text = await exportText(from.transfer);
    now += 300_000;
    const to = await open(kind, {nowMs: () => now});
    expect(await importText(to.transfer, text)).toMatchObject({entries: 3, created: 2, expired: 1});
    const expiresAtMs = (await from.entries.get('long'))?.expiresAtMs;
    expect((await to.entries.get('long'))?.expiresAtMs).toBe(expiresAtMs ?? 0);
    expect((await to.entries.get('ever'))?.expiresAtMs).toBeUndefined();
    expect(await exportText(to.transfer)).toContain(`"expiresAt":"${new Date(expiresAtMs ?? 0).toISOString()}"`);
    expect(await exportText(to.transfer)).toContain('"entries":2');
    now += 600_000;
    expect(await exportText(to.transfer)).toContain('"entries":1');
  });

  test('an export that is abandoned leaves nothing open', async () => {
    const crewroom = await open(kind);
    await importText(crewroom.transfer, formatExport(manyEntries(2000)));
    for (let round = 0; round < 200; round++) {
      const exported = await crewroom.transfer.export();
      if (round % 3 > 0) await exported.next();
      if (round % 3 > 1) await Promise.all([exported.next(), exported.return()]);
      await exported.return();
      await exported.return();
      expect(await exported.next()).toEqual({done: true, value: undefined});
    }
  });

  test('a hundred concurrent exports are all complete', async () => {
    const crewroom = await open(kind);
    await importText(crewroom.transfer, formatExport(manyEntries(1200)));
    const texts = await Promise.all(Array.from({length: 100}, () => exportText(crewroom.transfer)));
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain('"entries":1200}');
  });

  test('arbitrary entries are restored unchanged', async () => {
    const key = fc.oneof(fc.string({unit: 'binary', minLength: 1, maxLength: 40}), fc.constantFrom(...SAMPLE_KEYS));
    const usable = key.filter(text => text.isWellFormed() && !/[\u0000-\u001f\u007f]|^\.\.?$/.test(text));
    const space = fc.constantFrom('', ' ', '\n', '\r\n', '\t');
    const value = fc.oneof(
      fc.tuple(fc.jsonValue(), space).map(([json, each]) => JSON.stringify(json, undefined, each)),
      fc.constantFrom(...SAMPLE_TEXTS),
      fc.tuple(space, space).map(([a, b]) => `[${a}1.0,${b}{"\\u00e9":"é"}${a}]`),
    );
    const from = await open(kind);
    const to = await open(kind);
    await fc.assert(
      fc.asyncProperty(fc.dictionary(usable, value, {maxKeys: 20}), async content => {
        await from.entries.deleteRange({prefix: ''});
        for (const [each, json] of Object.entries(content)) await from.entries.put(each, Buffer.from(json));
        await importText(to.transfer, await exportText(from.transfer), {mode: 'replace'});
        expect(await contentOf(to)).toEqual(await contentOf(from));
      }),
      {numRuns: 30},
    );
  });
});

describe('an import is refused', () => {
  const ENTRY = '{"key":"k","value":1}';
  const END = '{"end":true,"entries":1}';
  const cases: readonly {name: string; text: string; line: number; problem: string}[] = [
    {name: 'that is empty', text: '', line: 1, problem: 'it is missing; the import is empty'},
    {name: 'without a header', text: `${ENTRY}\n${END}\n`, line: 1, problem: 'the first line has to be the header'},
    {name: 'with two headers', text: `${HEADER}\n${HEADER}\n`, line: 2, problem: 'a second header'},
    {
      name: 'of a newer version',
      text: `{"format":"crewroom-export","version":2}\n`,
      line: 1,
      problem: '$.version is 2: a newer Crewroom wrote it, and this service reads version 1 only',
    },
    {
      name: 'that was truncated between lines',
      text: `${HEADER}\n${ENTRY}\n`,
      line: 3,
      problem: 'it is missing; the export was cut off before its end',
    },
    {
      name: 'that was truncated within a line',
      text: `${HEADER}\n${ENTRY.slice(0, 15)}`,
      line: 2,
      problem: 'expected a closing quote, found the end of the text at its byte 15, and the export ends there',
    },
    {
      name: 'with too few entries',
      text: `${HEADER}\n${ENTRY}\n{"end":true,"entries":2}\n`,
      line: 3,
      problem: 'it counts 2 entries, but 1 precede it',
    },
    {
      name: 'with more entries than its trailer says',
      text: `${HEADER}\n${ENTRY}\n{"key":"l","value":1}\n${END}\n`,
      line: 4,
      problem: 'it counts 1 entries, but 2 precede it',
    },
    {
      name: 'with bytes behind its end',
      text: `${HEADER}\n${ENTRY}\n${END}\n\n${ENTRY}\n`,
      line: 5,
      problem: 'nothing may follow the end of the export',
    },
    {
      name: 'with a key outside of its prefix',
      text: `{"format":"crewroom-export","version":1,"prefix":"a/"}\n${ENTRY}\n${END}\n`,
      line: 2,
      problem: 'its key does not begin with the prefix of the export',
    },
    {
      name: 'with a line that is too long',
      text: `${HEADER}\n{"key":"k","value":"${'x'.repeat(5000)}"}\n${END}\n`,
      line: 2,
      problem: 'it is longer than a line with the largest value can be',
    },
    {
      name: 'with a value that is too large',
      text: `${HEADER}\n{"key":"k","value":"${'x'.repeat(100)}"}\n${END}\n`,
      line: 2,
      problem: 'its value is larger than 100 bytes',
    },
    {
      name: 'with a value that nests too deep',
      text: `${HEADER}\n{"key":"k","value":[[[[]]]]}\n${END}\n`,
      line: 2,
      problem: 'its value nests deeper than 3 levels',
    },
    {
      name: 'with a wrong line after empty ones',
      text: `${HEADER}\r\n\r\n  \n${ENTRY}\r\n{}\r\n`,
      line: 5,
      problem: '$.key is missing',
    },
  ];
  for (const {name, text, line, problem} of cases) {
    test(name, async () => {
      const crewroom = await openTestService({ephemeral: true, valueBytesMax: 100, valueDepthMax: 3});
      opened.push(crewroom);
      const failure = {code: 'invalid-import', line, problem, imported: 0, batches: 0};
      for (const dryRun of [false, true])
        expect(await failureOf(importText(crewroom.transfer, text, {dryRun}))).toEqual(failure);
      expect(await contentOf(crewroom)).toEqual({});
    });
  }

  test('but not with CRLF, blank lines, and no line feed at its end', async () => {
    const crewroom = await open('memory');
    const text = `\n${HEADER}\r\n\r\n${ENTRY}\r\n \n${END}`;
    expect(await importText(crewroom.transfer, text)).toMatchObject({entries: 1, created: 1});
  });

  test('as soon as a line is too long, however long the rest is', async () => {
    const crewroom = await openTestService({ephemeral: true, valueBytesMax: 100});
    opened.push(crewroom);
    let taken = 0;
    const endless = function* (): Generator<Uint8Array> {
      yield Buffer.from(`${HEADER}\n`);
      for (;;) {
        taken++;
        yield Buffer.alloc(1000, 'x');
      }
    };
    expect(await failureOf(crewroom.transfer.import(endless()))).toMatchObject({code: 'invalid-import', line: 2});
    expect(taken).toBeLessThan(10);
  });
});

describe('an import during other writes', () => {
  /** A memory store that runs a function before each commit. */
  function storeThat(before: (store: Store, count: number) => Promise<void>): Partial<ServiceParts> {
    return {
      openStore: async () => {
        const store = openMemoryStore({nowMs: Date.now});
        let count = 0;
        return new Proxy(store, {
          get: (target, name) => {
            if (name === 'commit')
              return async (commit: Parameters<Store['commit']>[0]) => {
                await before(target, ++count);
                return target.commit(commit);
              };
            const member: unknown = Reflect.get(target, name, target);
            return typeof member === 'function' ? member.bind(target) : member;
          },
        });
      },
    };
  }

  test('that change entries just before replace would delete them', async () => {
    const crewroom = await open(
      'memory',
      storeThat(async (store, count) => {
        // The two puts of the test are commits too.
        if (count < 3 || count > 4) return;
        const key = (count === 3 ? 'x' : 'y') as Key;
        await store.commit({
          checks: [],
          operations: [{kind: 'put', key, json: Buffer.from('"mine"') as never}],
        });
      }),
    );
    for (const key of ['x', 'y']) await crewroom.entries.put(key, 1);
    const text = formatExport([['a', '1']]);
    expect(await importText(crewroom.transfer, text, {mode: 'replace'})).toMatchObject({created: 1, deleted: 0});
    expect(await contentOf(crewroom)).toEqual({a: '1', x: '"mine"', y: '"mine"'});
  });

  test('that fill the disk: the failure reports what was stored', async () => {
    const {AppError} = await import('../src/core/failures/app-error.ts');
    const crewroom = await open(
      'memory',
      storeThat(async (_, count) => {
        if (count === 3) throw new AppError({code: 'disk-full'});
      }),
    );
    const failure = await failureOf(importText(crewroom.transfer, formatExport(manyEntries(5000))));
    expect(failure).toEqual({code: 'disk-full', imported: 2000, batches: 2});
    expect(Object.keys(await contentOf(crewroom))).toHaveLength(2000);
  });

  test('and stops when its chunks fail', async () => {
    const crewroom = await open('memory');
    const chunks = function* (): Generator<Uint8Array> {
      yield Buffer.from(formatExport(manyEntries(10)).slice(0, 200));
      throw new Error('the client is gone');
    };
    await expect(crewroom.transfer.import(chunks())).rejects.toThrow('the client is gone');
    expect(await contentOf(crewroom)).toEqual({});
  });
});

test('an export with an invalid prefix is refused', async () => {
  const {transfer} = await open('memory');
  expect(await failureOf(transfer.export({prefix: '\u0000'}))).toMatchObject({code: 'invalid-parameter'});
  expect(await exportText(transfer, 'none' as Prefix)).toContain('"entries":0');
});
