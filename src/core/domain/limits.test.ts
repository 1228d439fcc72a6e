import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {describe, test} from 'vitest';
import {CHANGES_BYTES_MAX, SNAPSHOT_IDLE_MS} from './commits/store.ts';
import {EXPORT_PAGE_BYTES_MAX, EXPORT_PAGE_ENTRIES_MAX, IMPORT_BATCH_BYTES_MAX} from './commits/transfer.ts';
import {DEFAULT_LIMITS, LIMIT_RANGES, type Limits, limitsWith} from './limits.ts';

describe('limitsWith()', () => {
  test('replaces what is configured, and the longest line of an import that follows from it', () => {
    const settings = {valueBytesMax: 1000, valueDepthMax: 7, connectionsMax: 12};
    const importLineBytesMax = 3 * 1000 + 6 * 512 + 1024;
    assert.deepEqual(limitsWith(settings), {...DEFAULT_LIMITS, ...settings, importLineBytesMax});
  });

  test('returns the default limits for the default settings', () => {
    assert.deepEqual(limitsWith(DEFAULT_LIMITS), DEFAULT_LIMITS);
  });

  test('reads only the settings from its argument', () => {
    assert.deepEqual(limitsWith({...DEFAULT_LIMITS, keyBytesMax: 1, heldBytesMax: 1} as Limits), DEFAULT_LIMITS);
  });
});

describe('importLineBytesMax', () => {
  const times =
    '"revision":"999999999999999","updatedAt":"2026-01-01T00:00:00.000Z","expiresAt":"2026-01-01T00:00:00.000Z"';

  for (const valueBytesMax of [1, 1000, DEFAULT_LIMITS.valueBytesMax]) {
    test(`fits the longest key and a value of ${valueBytesMax} bytes, with every character escaped`, () => {
      const key = '\\u0061'.repeat(DEFAULT_LIMITS.keyBytesMax);
      const text = '\\u00e9'.repeat(Math.floor(valueBytesMax / 2));
      const line = `{"key":"${key}",${times},"text":"\\"${text}\\""}`;
      const {importLineBytesMax} = limitsWith({...DEFAULT_LIMITS, valueBytesMax});
      assert.ok(line.length <= importLineBytesMax, `${line.length} bytes`);
    });
  }
});

describe('LIMIT_RANGES', () => {
  for (const [name, {min, max}] of Object.entries(LIMIT_RANGES)) {
    test(`includes the default of ${name}, and begins with 1`, () => {
      const limit = DEFAULT_LIMITS[name as keyof typeof LIMIT_RANGES];
      assert.equal(min, 1);
      assert.ok(limit > min && limit < max);
    });
  }

  test('ends where one value fills the memory of requests, and a client address has no more ports', () => {
    assert.equal(LIMIT_RANGES.valueBytesMax.max, DEFAULT_LIMITS.heldBytesMax);
    assert.equal(LIMIT_RANGES.connectionsMax.max, 2 ** 16 - 1);
    assert.equal(LIMIT_RANGES.valueDepthMax.max, 10_000);
  });
});

/** Pairs of which the first limit is useless unless it is within the second one. */
const WITHIN: readonly (readonly [name: keyof Limits, within: keyof Limits, why: string])[] = [
  ['listLimit', 'listLimitMax', 'a caller may ask for the default'],
  ['listLimitMax', 'transactionOperationsMax', 'a page of a listing can be deleted as one transaction'],
  ['transactionChecksMax', 'transactionOperationsMax', 'an operation has one check'],
  ['transactionOperationsMax', 'transactionChecksMax', 'each operation can have a check'],
  ['valueBytesMax', 'listValuesBytesMax', 'a page with values has some of them'],
  ['valueBytesMax', 'transactionBytesMax', 'every value fits in a transaction'],
  ['valueBytesMax', 'importLineBytesMax', 'every value fits in a line'],
  ['logValueBytesMax', 'valueBytesMax', 'only values of this size reach the log'],
  ['eventValueBytesMax', 'logValueBytesMax', 'the log has the values of events'],
  ['eventValueBytesMax', 'waitingEventBytesMax', 'a subscriber that waits for one event is not too slow'],
  ['logValueBytesMax', 'logBytesMax', 'the log keeps such a value'],
  ['transactionOperationsMax', 'logChangesMax', 'the log keeps a whole commit'],
  ['transactionBytesMax', 'heldBytesMax', 'the largest request fits in the memory of requests'],
  ['pluginBodyBytesMax', 'heldBytesMax', 'the largest request to a plugin fits in the memory of requests'],
  ['headersTimeoutMs', 'requestTimeoutMs', 'headers come before the body'],
];

describe('DEFAULT_LIMITS', () => {
  for (const [name, within, why] of WITHIN) {
    test(`has ${name} within ${within}: ${why}`, () => {
      assert.ok(DEFAULT_LIMITS[name] <= DEFAULT_LIMITS[within], `${DEFAULT_LIMITS[name]} > ${DEFAULT_LIMITS[within]}`);
    });
  }

  test('has whole numbers above zero only', () => {
    for (const [name, limit] of Object.entries(DEFAULT_LIMITS)) assert.ok(Number.isInteger(limit) && limit > 0, name);
  });

  test('holds 256 of the largest values, or 16 of the largest bodies for plugins', () => {
    assert.equal(DEFAULT_LIMITS.heldBytesMax / DEFAULT_LIMITS.valueBytesMax, 256);
    assert.equal(DEFAULT_LIMITS.heldBytesMax / DEFAULT_LIMITS.pluginBodyBytesMax, 16);
  });

  test('fits the largest value of the log in a page of changes, and the largest entry in a page of an export', () => {
    assert.ok(DEFAULT_LIMITS.logValueBytesMax <= CHANGES_BYTES_MAX);
    assert.ok(EXPORT_PAGE_BYTES_MAX + DEFAULT_LIMITS.valueBytesMax <= IMPORT_BATCH_BYTES_MAX);
    assert.ok(EXPORT_PAGE_ENTRIES_MAX <= DEFAULT_LIMITS.listLimitMax);
  });

  test('keeps a snapshot for as long as a part of a request may take', () => {
    assert.equal(SNAPSHOT_IDLE_MS, DEFAULT_LIMITS.requestTimeoutMs);
  });

  test('sends heartbeats and ends long polls within the minute after which proxies close idle connections', () => {
    assert.ok(DEFAULT_LIMITS.heartbeatMs < 60_000);
    assert.ok(DEFAULT_LIMITS.waitSecondsMax < 60);
  });
});

/** The rows of the table of limits in `docs/http-api.md`, as the limits require them to begin. */
const DOCUMENTED: Readonly<Record<string, (limits: Limits) => string>> = {
  key: ({keyBytesMax}) => `${count(keyBytesMax)} bytes`,
  value: ({valueBytesMax, valueDepthMax}) => `${size(valueBytesMax)} (\`--value-bytes-max\`), ${valueDepthMax} levels`,
  page: ({listLimitMax, listValuesBytesMax}) => `${count(listLimitMax)} entries, ${size(listValuesBytesMax)} of values`,
  'merge patch': ({patchMembersMax, transactionPatchMembersMax}) =>
    `${count(patchMembersMax)} members, nested ones included; ${count(transactionPatchMembersMax)} a transaction`,
  'time to live': ({ttlSecondsMax}) => `1 second to ten years (${count(ttlSecondsMax)} seconds)`,
  transaction: ({transactionOperationsMax, transactionChecksMax, transactionBytesMax}) =>
    `${count(transactionOperationsMax)} operations, ${count(transactionChecksMax)} checks, ${size(transactionBytesMax)}; ` +
    `its patches and the values that they patch ${size(transactionBytesMax)} together`,
  'headers of a request': ({headerBytesMax, headersTimeoutMs}) =>
    `${size(headerBytesMax)}, within ${headersTimeoutMs / 1000} seconds`,
  'body of a request': ({requestTimeoutMs}) =>
    `within ${requestTimeoutMs / 1000} seconds; for an import each chunk within ${requestTimeoutMs / 1000} seconds`,
  connections: ({connectionsMax}) => `${count(connectionsMax)} (\`--connections-max\`)`,
  'bodies, and answers above 8 KiB, in memory': ({heldBytesMax}) => `${size(heldBytesMax)} together`,
  'writes that wait for the disk': ({waitingCommitsMax}) => count(waitingCommitsMax),
  'change log': ({logChangesMax, logBytesMax}) =>
    `the last ${count(logChangesMax)} changes, and of these at most ${size(logBytesMax)}`,
  subscribers: ({subscribersMax, waitingEventsMax, waitingEventBytesMax}) =>
    `${count(subscribersMax)}; ${count(waitingEventsMax)} unsent events and ${size(waitingEventBytesMax)} for each`,
};

/** Other sentences of `docs/http-api.md` that name a limit. */
const SENTENCES: readonly ((limits: Limits) => string)[] = [
  ({listLimit, listLimitMax}) => `\`limit\` is 1 to ${count(listLimitMax)}, and ${listLimit} without it`,
  ({waitSecondsMax}) => `| \`waitSeconds\` | 1 to ${waitSecondsMax}: no stream`,
  ({eventValueBytesMax}) => `\`value\` only up to ${size(eventValueBytesMax)}`,
  ({heartbeatMs}) => `After ${heartbeatMs / 1000} seconds without events a comment is sent`,
  ({waitEventsMax}) => `It has about ${count(waitEventsMax)}`,
];

describe('docs/http-api.md', () => {
  const page = readFileSync(new URL('../../../docs/http-api.md', import.meta.url), 'utf8');
  for (const [row, describeLimits] of Object.entries(DOCUMENTED)) {
    test(`names the limit of: ${row}`, () => {
      const line = page.split('\n').find(each => each.startsWith(`| ${row} | `)) ?? '';
      const text = describeLimits(DEFAULT_LIMITS);
      assert.equal(line.slice(`| ${row} | `.length).slice(0, text.length), text);
    });
  }
  for (const sentence of SENTENCES) {
    test(`says: ${sentence(DEFAULT_LIMITS)}`, () => {
      assert.ok(page.includes(sentence(DEFAULT_LIMITS)));
    });
  }
});

function count(number: number): string {
  return number.toLocaleString('en');
}

/** Formats a size that is a whole number of units. */
function size(sizeBytes: number): string {
  for (const [unit, bytes] of [
    ['MiB', 1024 ** 2],
    ['KiB', 1024],
  ] as const)
    if (sizeBytes % bytes === 0) return `${sizeBytes / bytes} ${unit}`;
  return `${sizeBytes} bytes`;
}
