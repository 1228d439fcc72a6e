import fc from 'fast-check';
import {expect, test} from 'vitest';
import {makeDirectory} from '../../../test/support/store-fixture.ts';
import {openEnvironment} from './environment.ts';
import {keyBytesOf} from './key-bytes.ts';
import {type Table, type TableRange, viewOf} from './table.ts';

/** Keys that an index, the change log and the entries may have, but for a single zero byte, which none of them has. */
const keys = fc
  .oneof(fc.uint8Array({minLength: 1, maxLength: 20}), fc.uint8Array({minLength: 1, maxLength: 3, max: 6}))
  .filter(key => key.length > 1 || key[0] !== 0);

/** Sizes below and above those for which a range goes on in single steps. */
const sizes = fc.oneof(fc.nat(300), fc.constantFrom(4095, 4096, 4097, 70_000));

type Model = readonly (readonly [key: string, sizeBytes: number])[];

function rangeOf(model: Model, {start, reverse = false}: TableRange): Model {
  const from = start === undefined ? undefined : keyBytesOf(start);
  const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
  const ordered = reverse ? sorted.reverse() : sorted;
  return ordered.filter(([key]) => from === undefined || (reverse ? key <= from : key >= from));
}

/** Reads a range, with the size of each value if its bytes are those of its key. */
function readRange(table: Table, range: TableRange): Model {
  return Array.from(table.range(range), ({key, value}) => {
    const isOwn = viewOf(value).equals(filled(key, value.length));
    return [key, isOwn ? value.length : -1] as const;
  });
}

function filled(key: string, sizeBytes: number): Buffer {
  return Buffer.alloc(sizeBytes, key, 'latin1');
}

test('ranges have the keys of any bytes in their order, with their values, in both directions', async () => {
  await using environment = await openEnvironment({directory: await makeDirectory()});
  const table = environment.table('table');
  const records = fc.uniqueArray(fc.tuple(keys, sizes), {maxLength: 12, selector: ([key]) => keyBytesOf(key)});
  const ranges = fc.record({start: fc.option(keys, {nil: undefined}), reverse: fc.boolean()});
  await fc.assert(
    fc.asyncProperty(records, ranges, async (written, range) => {
      const model = written.map(([key, sizeBytes]) => [keyBytesOf(key), sizeBytes] as const);
      const present = rangeOf(model, range);
      const before = [...table.keys({})];
      const write = (): void => {
        for (const key of before) table.remove(key);
        for (const [key, sizeBytes] of written) table.put(key, filled(keyBytesOf(key), sizeBytes));
      };
      await environment.write(write);
      expect(readRange(table, range)).toEqual(present);
      expect(Array.from(table.keys(range), keyBytesOf)).toEqual(present.map(([key]) => key));
      expect(Array.from(table.keys({...range, limit: 2}), keyBytesOf)).toEqual(present.slice(0, 2).map(([key]) => key));
      // Inside a transaction too, in which the library may position its cursor again.
      expect(environment.writeAndWait(() => readRange(table, range))).toEqual(present);
    }),
    {numRuns: 40},
  );
});
