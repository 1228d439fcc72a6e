import assert from 'node:assert/strict';
import {crc32} from 'node:zlib';
import {describe, test} from 'vitest';
import type {Principal} from '../../core/domain/access/access.ts';
import {NO_REVISION, parseKey} from '../../core/domain/entries/identifiers.ts';
import {encodeJsonText} from '../../core/json/json-text.ts';
import {
  beginEntryRecord,
  decodeEntryInfo,
  decodeEntryRecord,
  decodeEntryState,
  endEntryRecord,
  jsonOf,
} from './entry-record.ts';
import {encodePrincipal} from './principal.ts';

const KEY = parseKey('a/é');
const VALUE = encodeJsonText('{"n": 1.0}');
const HEADER = {revision: 7, updatedAtMs: 1000, expiresAtMs: 2000};
const HEADER_BYTES = 28;

function encode(writtenBy?: Principal): Buffer {
  const record = beginEntryRecord(VALUE, encodePrincipal(writtenBy));
  endEntryRecord(record, KEY, HEADER);
  return record;
}

/** Adds a principal to a record, as the layout in `entry-record.ts` describes it. */
function withPrincipal(record: Buffer, principal: Buffer): Buffer {
  const written = Buffer.concat([record.subarray(0, HEADER_BYTES), principal, record.subarray(HEADER_BYTES)]);
  written[1] = principal.length;
  const checked = written.subarray(6, HEADER_BYTES + principal.length);
  written.writeUInt32BE(crc32(Buffer.concat([checked, Buffer.from(KEY)])), 2);
  return written;
}

describe('an entry record', () => {
  test('is read as it was written', () => {
    assert.deepEqual(decodeEntryRecord(KEY, encode()), {
      key: KEY,
      sizeBytes: VALUE.length,
      ...HEADER,
      json: jsonOf(encode()),
    });
    assert.equal(Buffer.from(jsonOf(encode())).toString(), '{"n": 1.0}');
  });

  test('is read from the beginning of a longer buffer without its value, and is corrupt if its header is cut there', () => {
    for (const record of [encode(), encode('token:a')]) {
      const longer = Buffer.concat([record, Buffer.from('rest')]);
      assert.deepEqual(decodeEntryInfo(KEY, longer, record.length), decodeEntryInfo(KEY, record));
      for (let length = 0; length < record.length - VALUE.length; length++)
        assert.throws(() => decodeEntryInfo(KEY, longer, length), {failure: {code: 'entry-corrupt', key: KEY}});
    }
  });

  for (const writtenBy of ['owner', 'token:a', `plugin:${'p'.repeat(254)}`] as const) {
    test(`names the caller that wrote it: ${writtenBy.slice(0, 16)}`, () => {
      const record = encode(writtenBy);
      assert.deepEqual(decodeEntryRecord(KEY, record), {...decodeEntryRecord(KEY, encode()), writtenBy});
      assert.deepEqual(decodeEntryInfo(KEY, record), {...decodeEntryInfo(KEY, encode()), writtenBy});
      assert.deepEqual(decodeEntryState(KEY, record), decodeEntryState(KEY, encode()));
    });
  }

  test('names no caller if a later version wrote one of another kind', () => {
    const record = withPrincipal(encode(), Buffer.from('xyz'));
    assert.deepEqual(decodeEntryRecord(KEY, record), decodeEntryRecord(KEY, encode()));
  });

  test('is refused for a caller whose name does not fit', () => {
    assert.throws(() => encode(`plugin:${'p'.repeat(255)}`), {
      name: 'RangeError',
      message: /it has 256 bytes and the limit is 255$/,
    });
  });

  for (const [name, record] of [
    ['without a principal', encode()],
    ['with a principal', withPrincipal(encode(), Buffer.from('pilot/42'))],
  ] as const) {
    test(`${name} is corrupt if any one of its bits differs, if it is cut, and under another key`, () => {
      for (let bit = 0; bit < 8 * record.length; bit++) {
        const damaged = Buffer.from(record);
        const at = Math.floor(bit / 8);
        damaged[at] = (damaged[at] ?? 0) ^ (1 << (bit % 8));
        assert.throws(
          () => decodeEntryRecord(KEY, damaged),
          {failure: {code: 'entry-corrupt', key: KEY}},
          `bit ${bit}`,
        );
      }
      for (let length = 0; length < record.length; length++)
        assert.throws(() => decodeEntryRecord(KEY, record.subarray(0, length)), {name: 'AppError'}, `${length} bytes`);
      assert.throws(() => decodeEntryInfo(parseKey('b'), record), {failure: {code: 'entry-corrupt', key: 'b'}});
      assert.deepEqual(decodeEntryState(parseKey('b'), record), {revision: NO_REVISION, expiresAtMs: undefined});
    });
  }
});
