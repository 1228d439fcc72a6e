import {crc32} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import {putOf} from '../../../test/support/store-fixture.ts';
import type {Change} from '../../core/domain/commits/store.ts';
import {parseKey} from '../../core/domain/entries/identifiers.ts';
import {encodeChanges, encodedBytesMax, type LoggedChange} from '../format/change-encoding.ts';
import {
  decodeWalChanges,
  decodeWalHeader,
  encodeWalRecord,
  nextBeginning,
  SectorWriter,
  sealedBytes,
  sealedPosition,
  unseal,
  type WalRecord,
  walRecordBytesMax,
} from './wal-format.ts';

const HEADER_BYTES = 72;
const SECTOR_BYTES = 512;
const BLOCK_BYTES = 4096;

/** Bytes of a block that are not checksums of its sectors. */
const CONTENT_BYTES = 4064;

/** A file of three blocks: small, so that each of its bytes can be tried. */
const FILE_BYTES = 3 * BLOCK_BYTES;

const CHANGES: readonly Change[] = [
  putOf(7, 'a', '"first"'),
  {kind: 'delete', key: parseKey('b'), revision: 7},
  {...putOf(9, 'c', '"last"'), expiresAtMs: 5000},
];
const RECORD: WalRecord = {changes: CHANGES, updatedAtMs: 1001, nowMs: 1002, storeId: 'store'};

/** Encodes into a buffer that was used before. */
function encode(record: Partial<WalRecord> = {}): Buffer {
  return encodeWalRecord({...RECORD, ...record}, Buffer.alloc(10_000, 0xff));
}

function flipBit(bytes: Buffer, at: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[at] = (flipped[at] ?? 0) ^ 4;
  return flipped;
}

function decode(file: Buffer, at = 0): readonly LoggedChange[] | undefined {
  const header = decodeWalHeader(file, at);
  return header && decodeWalChanges(file, at, header);
}

describe('a record of the write-ahead log', () => {
  test('has the layout that its table describes', () => {
    const changes = Buffer.alloc(200);
    const rest = changes.subarray(0, encodeChanges(CHANGES, changes, 0));
    const numbers = Buffer.alloc(HEADER_BYTES - 8);
    numbers.writeUInt32BE(rest.length, 0);
    numbers.writeUInt32BE(crc32(rest), 4);
    for (const [index, number] of [7, 9, 1001, 1002].entries()) numbers.writeUIntBE(number, 8 + 6 * index, 6);
    numbers.write('store', 32);
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32BE(crc32(numbers));
    expect(encode().toString('hex')).toBe(
      Buffer.concat([Buffer.from('CRW2'), checksum, numbers, rest]).toString('hex'),
    );
  });

  for (const at of [0, 100]) {
    test(`is read again at position ${at} of a file`, () => {
      const record = encode();
      const file = Buffer.concat([Buffer.alloc(at, 1), record, Buffer.alloc(50, 1)]);
      expect(decodeWalHeader(file, at)).toEqual({
        ...{first: 7, last: 9, updatedAtMs: 1001, nowMs: 1002, storeId: 'store'},
        end: at + record.length,
      });
      expect(decode(file, at)).toEqual(CHANGES);
    });
  }

  for (const storeId of ['s', 'x'.repeat(31), 'x'.repeat(32)]) {
    test(`keeps the id of its store, of ${storeId.length} characters`, () => {
      const record = encode({storeId});
      expect(decodeWalHeader(record, 0)?.storeId).toBe(storeId);
      expect(decode(record)).toEqual(CHANGES);
    });
  }

  test('has no header if a byte of that is changed, and no changes if one of them is', () => {
    const record = encode();
    const changed = Array.from(record, (_, at) => flipBit(record, at));
    expect(changed.map(each => decodeWalHeader(each, 0) !== undefined)).toEqual(
      changed.map((_, at) => at >= HEADER_BYTES),
    );
    expect(changed.filter(each => decode(each) !== undefined)).toEqual([]);
  });

  test('needs its letters, even if its checksum is right', () => {
    const other = Buffer.concat([Buffer.from('CRW1'), encode().subarray(4)]);
    expect(decodeWalHeader(other, 0)).toBeUndefined();
  });

  test('is not read if the end of the file cuts it off', () => {
    const record = encode();
    const cut = Array.from(record, (_, sizeBytes) => record.subarray(0, sizeBytes));
    expect(cut.map(each => decodeWalHeader(each, 0) !== undefined)).toEqual(cut.map((_, size) => size >= HEADER_BYTES));
    expect(cut.filter(each => decode(each) !== undefined)).toEqual([]);
    expect(decodeWalHeader(record, record.length)).toBeUndefined();
  });

  test('is not read if its size ends behind the file, even if its checksums are right', () => {
    const record = encode();
    record.writeUInt32BE(record.length - HEADER_BYTES + 1, 8);
    record.writeUInt32BE(crc32(record.subarray(8, HEADER_BYTES)), 4);
    expect(decodeWalHeader(record, 0)?.end).toBe(record.length + 1);
    expect(decode(record)).toBeUndefined();
  });

  test('takes at most the bytes of its header and those that its changes may take', () => {
    expect(walRecordBytesMax(CHANGES)).toBe(HEADER_BYTES + encodedBytesMax(CHANGES));
    expect(walRecordBytesMax([])).toBe(HEADER_BYTES);
  });
});

describe('a position in a file of the write-ahead log', () => {
  const records = [
    {recordBytes: 1, blocks: 1},
    {recordBytes: CONTENT_BYTES, blocks: 1},
    {recordBytes: CONTENT_BYTES + 1, blocks: 2},
    {recordBytes: 2 * CONTENT_BYTES + 1, blocks: 3},
  ];
  for (const {recordBytes, blocks} of records)
    test(`is ${blocks} blocks further behind a record of ${recordBytes} bytes`, () => {
      expect(sealedBytes(recordBytes)).toBe(blocks * BLOCK_BYTES);
      expect(nextBeginning(recordBytes)).toBe(blocks * CONTENT_BYTES);
      expect(sealedPosition(nextBeginning(recordBytes))).toBe(sealedBytes(recordBytes));
    });
});

describe('the sectors of a file of the write-ahead log', () => {
  /** A file with a record in its second block. */
  const fileWith = (record: Buffer, number = 0): Buffer => {
    const file = new SectorWriter(number).empty(0, FILE_BYTES);
    new SectorWriter(number).seal(record, Buffer.alloc(FILE_BYTES, 0xff), BLOCK_BYTES).copy(file, BLOCK_BYTES);
    return file;
  };
  const contentOf = (record: Buffer): Buffer => {
    const content = Buffer.alloc(3 * CONTENT_BYTES);
    record.copy(content, CONTENT_BYTES);
    return content;
  };

  for (const sizeBytes of [1, 507, 508, 509, 1016, CONTENT_BYTES - 1, CONTENT_BYTES, CONTENT_BYTES + 1]) {
    for (const number of [0, 1])
      test(`give a record of ${sizeBytes} bytes back, in file ${number}`, () => {
        const record = Buffer.alloc(sizeBytes, 'record');
        const {content, damagedAt} = unseal(fileWith(record, number), number, FILE_BYTES);
        expect(damagedAt).toEqual([]);
        expect(content.equals(contentOf(record))).toBe(true);
      });
  }

  test('begin with what older versions wrote', () => {
    const beginnings = (number: number): readonly string[] =>
      [BLOCK_BYTES, BLOCK_BYTES + SECTOR_BYTES, 0, 2 * BLOCK_BYTES].map(at =>
        fileWith(Buffer.from('record'), number).toString('hex', at, at + 4),
      );
    expect([0, 1].map(beginnings)).toEqual([
      ['7baca72e', '40f34739', 'b1000000', '94779b10'],
      ['deb2435a', 'f1f34739', '62000000', '45779b10'],
    ]);
  });

  test('are unused behind a record up to the end of its block, and in a new or erased block', () => {
    const writer = new SectorWriter(1);
    const sealed = writer.seal(Buffer.alloc(600, 1), Buffer.alloc(FILE_BYTES, 0xff), BLOCK_BYTES);
    expect(sealed.length).toBe(BLOCK_BYTES);
    const unused = writer.empty(BLOCK_BYTES, BLOCK_BYTES);
    expect(sealed.subarray(2 * SECTOR_BYTES).equals(unused.subarray(2 * SECTOR_BYTES))).toBe(true);
    expect(writer.emptyBlock(BLOCK_BYTES).equals(unused)).toBe(true);
    const {content, damagedAt} = unseal(writer.empty(0, FILE_BYTES), 1, FILE_BYTES);
    expect(damagedAt).toEqual([]);
    expect(content.equals(Buffer.alloc(3 * CONTENT_BYTES))).toBe(true);
  });

  test('are damaged, each alone, by a change of any byte', () => {
    const file = fileWith(Buffer.alloc(600, 1));
    const damaged = Array.from(file, (_, at) => unseal(flipBit(file, at), 0, FILE_BYTES).damagedAt);
    expect(damaged).toEqual(Array.from(file, (_, at) => [at - (at % SECTOR_BYTES)]));
  });

  test('are read as far as possible if they are damaged', () => {
    const record = Buffer.alloc(600, 1);
    const {content} = unseal(flipBit(fileWith(record), BLOCK_BYTES), 0, FILE_BYTES);
    expect(content.equals(contentOf(record))).toBe(true);
  });

  const elsewhere = [
    {name: 'in the other file', read: (file: Buffer) => unseal(file, 1, FILE_BYTES)},
    {
      name: 'one sector further',
      read: (file: Buffer) => unseal(Buffer.concat([Buffer.alloc(SECTOR_BYTES), file]), 0, FILE_BYTES),
    },
    {name: 'full of zeros', read: () => unseal(Buffer.alloc(FILE_BYTES), 0, FILE_BYTES)},
    {name: 'missing', read: () => unseal(Buffer.alloc(0), 0, FILE_BYTES)},
  ];
  for (const {name, read} of elsewhere)
    test(`are all damaged if they are ${name}`, () => {
      expect(read(fileWith(Buffer.alloc(600, 1))).damagedAt.length).toBe(FILE_BYTES / SECTOR_BYTES);
    });

  test('are damaged behind the end of a file that was cut', () => {
    const file = fileWith(Buffer.alloc(600, 1));
    const cut = (sizeBytes: number): readonly number[] => unseal(file.subarray(0, sizeBytes), 0, FILE_BYTES).damagedAt;
    expect(cut(FILE_BYTES - 1)).toEqual([FILE_BYTES - SECTOR_BYTES]);
    expect(cut(FILE_BYTES - SECTOR_BYTES)).toEqual([FILE_BYTES - SECTOR_BYTES]);
    expect(cut(FILE_BYTES - SECTOR_BYTES - 1).length).toBe(2);
  });
});
