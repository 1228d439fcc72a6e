import assert from 'node:assert/strict';
import type {ExportOptions, ImportOptions, Transfer} from '../../../src/core/domain/commits/transfer.ts';
import type {Entries} from '../../../src/core/domain/entries/entries.ts';
import {parseStoreId, type StoreId} from '../../../src/core/domain/entries/identifiers.ts';
import {type Contract, type ContractPart, runContract} from '../../../src/workbench/testing/shared/contract.ts';
import {assertFailsWith, textOf} from '../shared/assertions.ts';
import {SAMPLE_KEYS, SAMPLE_TEXTS} from '../shared/samples.ts';

/** Exports and imports, with the entries that they belong to. */
export interface OpenedTransfer extends AsyncDisposable {
  readonly entries: Entries;
  readonly transfer: Transfer;
}

/** Exports and imports to test; with the default limits for values. */
export type TransferContract = Contract<OpenedTransfer>;

/** Tests everything that the `Transfer` port promises, in the same process or over a network. */
export function testTransfer(contract: TransferContract): void {
  runContract(contract, [EXPORTS, IMPORTS]);
}

const HEADER = '{"format":"crewroom-export","version":1}';

const EXPORTS: ContractPart<OpenedTransfer> = {
  name: 'export',
  tests: [
    {
      name: 'and an import refuse unknown options, and store nothing',
      async run({entries, transfer}) {
        await entries.put('a', 1);
        const text = await exportText(transfer);
        await entries.put('a', 2);
        const trial = {dryrun: true} as ImportOptions;
        await assert.rejects(transfer.import([Buffer.from(text)], trial), /no such parameter; it has .*\bdryRun\b/);
        await assertFailsWith(transfer.export({perfix: 'a'} as ExportOptions), 'invalid-parameter');
        assert.equal(textOf(await entries.get('a')), '2');
      },
    },
    {
      name: 'has a header, the entries in the order of their keys, and a trailer',
      async run({entries, transfer}) {
        await entries.put('b', Buffer.from('2.0'));
        await entries.put('a', 1);
        const lines = (await exportText(transfer)).split('\n');
        assert.equal(lines[0], '{"format":"crewroom-export","version":1,"revision":"2","prefix":""}');
        assert.match(lines[1] ?? '', /^\{"key":"a","revision":"2","updatedAt":"[^"]+","value":1\}$/);
        assert.match(lines[2] ?? '', /^\{"key":"b","revision":"1","updatedAt":"[^"]+","value":2\.0\}$/);
        assert.deepEqual(lines.slice(3), ['{"end":true,"entries":2}', '']);
      },
    },
    {
      name: 'has only the keys with a prefix',
      async run({entries, transfer}) {
        for (const key of ['a', 'a/b', 'b']) await entries.put(key, 1);
        const text = await exportText(transfer, 'a/');
        assert.match(text, /"prefix":"a\/"\}\n\{"key":"a\/b",[^\n]*\n\{"end":true,"entries":1\}\n$/);
      },
    },
    {
      name: 'is of one revision, whatever is written meanwhile',
      async run({entries, transfer}) {
        await entries.put('k', 1);
        const exported = await transfer.export();
        await entries.put('k', 2);
        assert.equal(exported.revision, 1);
        assert.match(await readText(exported), /"value":1\}/);
      },
    },
    {
      name: 'can be left at once, in the middle, and twice',
      async run({entries, transfer}) {
        await entries.put('k', 1);
        const left = await transfer.export();
        await left.return();
        await left.return();
        for await (const chunk of await transfer.export()) if (chunk.length > 0) break;
      },
    },
    {
      name: 'rejects a prefix that no key can have',
      async run({transfer}) {
        await assertFailsWith(transfer.export({prefix: '\u0000'}), 'invalid-parameter');
      },
    },
  ],
};

const IMPORTS: ContractPart<OpenedTransfer> = {
  name: 'import',
  tests: [
    {
      name: 'restores every key and value, byte for byte, wherever the chunks end',
      async run({entries, transfer}) {
        const texts = new Map(SAMPLE_KEYS.map((key, at) => [key, SAMPLE_TEXTS[at % SAMPLE_TEXTS.length] ?? '']));
        for (const [key, text] of texts) await entries.put(key, Buffer.from(text));
        const exported = await exportText(transfer);
        await entries.deleteRange({prefix: ''});
        const {created, replaced} = await transfer.import(cut(exported));
        assert.deepEqual([created, replaced], [texts.size, 0]);
        for (const [key, text] of texts) assert.equal(textOf(await entries.get(key)), text);
      },
    },
    {
      name: 'restores the time of expiry',
      async run({entries, transfer}) {
        await entries.put('k', 1, {ttlSeconds: 1000});
        const before = await entries.get('k');
        const exported = await exportText(transfer);
        await entries.put('k', 2);
        await transfer.import(cut(exported));
        assert.equal((await entries.get('k'))?.expiresAtMs, before?.expiresAtMs);
      },
    },
    {
      name: 'merges, or replaces the entries with the prefix of the export',
      async run({entries, transfer}) {
        for (const key of ['a/1', 'a/2', 'b']) await entries.put(key, 1);
        const text = `{"format":"crewroom-export","version":1,"prefix":"a/"}\n{"key":"a/2","value":2}\n${end(1)}`;
        assert.equal((await transfer.import(cut(text))).deleted, 0);
        const {deleted, replaced} = await transfer.import(cut(text), {mode: 'replace'});
        assert.deepEqual([deleted, replaced], [1, 1]);
        const values = await Promise.all(['a/1', 'a/2', 'b'].map(key => entries.get(key)));
        assert.deepEqual(values.map(textOf), [undefined, '2', '1']);
      },
    },
    {
      name: 'takes what later versions may add to header and trailer, and names a later version of the format',
      async run({entries, transfer}) {
        const text = (version: number): string =>
          `{"format":"crewroom-export","version":${version},"airline":{"name":"x"}}\n{"key":"a","value":1}\n{"end":true,"entries":1,"sha256":"00"}\n`;
        await assert.rejects(transfer.import(cut(text(2))), {
          failure: {
            ...{code: 'invalid-import', line: 1, imported: 0, batches: 0},
            problem: '$.version is 2: a newer Crewroom wrote it, and this service reads version 1 only',
          },
        });
        assert.equal((await transfer.import(cut(text(1)))).entries, 1);
        assert.equal(textOf(await entries.get('a')), '1');
      },
    },
    {
      name: 'keeps in the mode replace what was written after a given revision, such as that of a snapshot',
      async run({entries, transfer}) {
        for (const key of ['a', 'b']) await entries.put(key, 1);
        const {revision} = await entries.put('c', 1);
        for (const key of ['b', 'later']) await entries.put(key, 2);
        const text = `${HEADER}\n{"key":"a","value":3}\n${end(1)}`;
        const {deleted} = await transfer.import(cut(text), {mode: 'replace', keepAfter: revision});
        const values = await Promise.all(['a', 'b', 'c', 'later'].map(key => entries.get(key)));
        assert.deepEqual([deleted, ...values.map(textOf)], [1, '3', '2', undefined, '2']);
      },
    },
    {
      name: 'refuses a revision of another store to keep what was written after it',
      async run({entries, transfer}) {
        await entries.put('a', 1);
        const keepAfter = {storeId: parseStoreId('0123456789abcdef') as StoreId, revision: 1};
        await assertFailsWith(
          transfer.import(cut(`${HEADER}\n${end(0)}`), {mode: 'replace', keepAfter}),
          'invalid-parameter',
        );
        assert.equal(textOf(await entries.get('a')), '1');
      },
    },
    {
      name: 'refuses a revision to keep what was written after it, unless it replaces',
      async run({entries, transfer}) {
        const {revision} = await entries.put('a', 1);
        const text = `${HEADER}\n{"key":"a","value":2}\n${end(1)}`;
        for (const options of [{}, {mode: 'merge'}, {mode: 'merge', dryRun: true}] as const)
          await assertFailsWith(transfer.import(cut(text), {...options, keepAfter: revision}), 'invalid-parameter');
        assert.equal(textOf(await entries.get('a')), '1');
      },
    },
    {
      name: 'stores nothing in a dry run',
      async run({entries, transfer}) {
        const imported = await transfer.import(cut(`${HEADER}\n{"key":"k","value":1}\n${end(1)}`), {dryRun: true});
        assert.deepEqual([imported.dryRun, imported.entries, imported.created], [true, 1, 1]);
        assert.equal(await entries.get('k'), undefined);
      },
    },
    {
      name: 'rejects a line that is not one of an export, with its number',
      async run({entries, transfer}) {
        const importing = transfer.import(cut(`${HEADER}\n{"key":"k","value":1}\nnonsense\n`));
        await assert.rejects(
          importing,
          (error: {readonly failure?: {readonly code: string; readonly line?: number}}) => {
            assert.deepEqual([error.failure?.code, error.failure?.line], ['invalid-import', 3]);
            return true;
          },
        );
        assert.equal(await entries.get('k'), undefined);
      },
    },
    {
      name: 'rejects a truncated export',
      async run({transfer}) {
        await assertFailsWith(transfer.import(cut(`${HEADER}\n{"key":"k","value":1}\n`)), 'invalid-import');
      },
    },
    {
      name: 'throws what its chunks throw, and stores nothing',
      async run({entries, transfer}) {
        const thrown = new Error('the chunks of this test end here');
        const chunks = async function* (): AsyncGenerator<Uint8Array> {
          yield new TextEncoder().encode(`${HEADER}\n{"key":"k","value":1}\n`);
          throw thrown;
        };
        await assert.rejects(transfer.import(chunks()), (error: unknown) => error === thrown);
        assert.equal(await entries.get('k'), undefined);
      },
    },
  ],
};

function end(entries: number): string {
  return `{"end":true,"entries":${entries}}\n`;
}

/** Cuts a text into chunks, in the middle of lines and characters. */
function* cut(text: string): Generator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0, size = 1; at < bytes.length; at += size, size = (size % 97) + 7) yield bytes.slice(at, at + size);
}

async function exportText(transfer: Transfer, prefix = ''): Promise<string> {
  return readText(await transfer.export({prefix}));
}

async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of chunks) text += decoder.decode(chunk, {stream: true});
  return text + decoder.decode();
}
