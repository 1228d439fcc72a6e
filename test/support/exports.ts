import type {Imported, ImportOptions, Transfer} from '../../src/core/domain/commits/transfer.ts';

/** Collects an export as a whole. */
export async function exportText(transfer: Transfer, prefix = ''): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await transfer.export({prefix})) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Imports a text in chunks that split lines and characters. */
export function importText(transfer: Transfer, text: string, options?: ImportOptions): Promise<Imported> {
  return transfer.import(cutIntoChunks(Buffer.from(text)), options);
}

function* cutIntoChunks(bytes: Buffer): Generator<Uint8Array> {
  const sizes = [1, 7, 4096, 3, 60_000];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** Formats the lines of an export with these entries, in this order. */
export function formatExport(
  entries: readonly (readonly [key: string, json: string])[],
  {prefix = '', end = entries.length}: {readonly prefix?: string; readonly end?: number | undefined} = {},
): string {
  const lines = entries.map(([key, json]) => `{"key":${JSON.stringify(key)},"value":${json}}`);
  const header = JSON.stringify({format: 'crewroom-export', version: 1, revision: '1', prefix});
  return `${[header, ...lines, JSON.stringify({end: true, entries: end})].join('\n')}\n`;
}

/** Creates this many entries, ordered by key. */
export function manyEntries(count: number): readonly (readonly [key: string, json: string])[] {
  return Array.from({length: count}, (_, index) => [`k${String(index).padStart(6, '0')}`, `{"n":${index}}`] as const);
}
