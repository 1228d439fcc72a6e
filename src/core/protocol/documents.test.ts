import {describe, expect, test} from 'vitest';
import {SAMPLE_KEYS, SAMPLE_TEXTS} from '../../../test/contracts/shared/samples.ts';
import {SIGN_IN} from '../documents/requests.ts';
import type {Event} from '../domain/commits/event.ts';
import type {Transaction} from '../domain/entries/entries.ts';
import type {Entry, EntryInfo} from '../domain/entries/entry.ts';
import {createStoreId, formatEntityTag, parseKey} from '../domain/entries/identifiers.ts';
import {KEY_BYTES_MAX} from '../domain/fixed-limits.ts';
import type {SessionStatus} from '../domain/identity/identity.ts';
import {DEFAULT_LIMITS} from '../domain/limits.ts';
import {AppError} from '../failures/app-error.ts';
import {decodeJsonText, encodeJsonText} from '../json/json-text.ts';
import {formatEvent, formatPolled, readEvent} from './event/event.ts';
import {formatFailure, readSentFailure} from './failure/failure-document.ts';
import {formatEntryHeaders, readEntryHeaders} from './headers/entry-headers.ts';
import {formatListing, readListing, readValueListing} from './listing.ts';
import {formatImported, formatSignIn, readImported, readSession, sessionDocument} from './service-documents.ts';
import {EACH, readExactTexts} from './text/json-reader.ts';
import {onOneLine} from './text/one-line.ts';
import {readTransaction} from './transaction/read-transaction.ts';
import {formatCommitted, formatTransaction, isWritable, readCommitted} from './transaction/write-transaction.ts';

const storeId = createStoreId(Uint8Array.of(0xa));
const formatSession = (status: SessionStatus): string => JSON.stringify(sessionDocument(status));
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function entryOf(key: string, json: string, expiresAtMs?: number): Entry {
  const value = encodeJsonText(json);
  const info = {key: parseKey(key), revision: 12, sizeBytes: value.length, updatedAtMs: 1, json: value};
  return expiresAtMs === undefined ? info : {...info, expiresAtMs};
}

/** Texts that look like the members around a value. */
const MISLEADING = [
  '"\\"value\\":1"',
  '{"value":{"value":[1]},"entries":[{"value":2}]}',
  '"}],\\\\"',
  '[["\\\\"]]',
  '{}',
];

/** Adds what a listing says besides. */
const tag = <E extends EntryInfo>(entry: E) => ({...entry, etag: '"0a-12"'});

describe('a listing', () => {
  const entries = SAMPLE_KEYS.flatMap(key => [...SAMPLE_TEXTS, ...MISLEADING].map(json => entryOf(key, json, 1000)));

  test('brings back every key and value, byte for byte', () => {
    const sent = {storeId, page: {entries: [...entries, entryOf('"value":', '1.0')], cursor: 'a"b'}};
    expect(readValueListing(text(formatListing(sent)))).toEqual({
      storeId,
      page: {...sent.page, entries: sent.page.entries.map(tag)},
    });
  });

  test('without values brings back the rest', () => {
    const infos = entries.map(({json: _, ...info}) => info);
    expect(readListing(text(formatListing({storeId, page: {entries: infos}})))).toEqual({
      storeId,
      page: {entries: infos.map(tag)},
    });
  });

  test('that a proxy has indented is the same', () => {
    const sent = {storeId, page: {entries: [entryOf('a', '[1,{"b":"c"}]')]}};
    const indented = JSON.stringify(JSON.parse(text(formatListing(sent))), undefined, 2);
    const [entry] = readValueListing(indented).page.entries;
    expect(JSON.parse(decodeJsonText(entry?.json ?? encodeJsonText('0')))).toEqual([1, {b: 'c'}]);
  });
});

describe('an event', () => {
  const cursor = `${storeId}-2`;
  const tagOf = (revision: number) => formatEntityTag({storeId, revision});
  const written = (json: string): Event => {
    const value = encodeJsonText(json);
    const at = {revision: 3, etag: tagOf(3), cursor};
    return {kind: 'entry-written', key: parseKey('k"'), ...at, sizeBytes: value.length, json: value};
  };

  test('brings back its value on one line, byte for byte otherwise', () => {
    for (const json of [...SAMPLE_TEXTS, ...MISLEADING, '[\r\n1\n,2]']) {
      const sent = text(formatEvent(written(json), storeId));
      expect(sent).not.toMatch(/[\r\n]/);
      const value = text(onOneLine(encodeJsonText(json)));
      expect(readEvent(sent)).toEqual({...written(value), text: value, value: JSON.parse(json)});
    }
  });

  const at = (revision: number) => ({key: parseKey('k'), revision, etag: tagOf(revision)});
  const others: readonly Event[] = (
    [
      {kind: 'entry-written', ...at(3), sizeBytes: 70_000, expiresAtMs: 1_790_000_000_123},
      {kind: 'entry-deleted', ...at(4)},
      {kind: 'entry-expired', ...at(5)},
      {kind: 'reset', revision: 6},
      {kind: 'initial-ended', revision: 6},
      {kind: 'identity-changed'},
      {kind: 'plugin-state', plugin: 'com.example.a', state: 'running'},
      {kind: 'plugin-state', plugin: 'com.example.a', state: 'page-only', page: '3f9c'},
      {kind: 'plugin-state', plugin: 'com.example.a'},
      {kind: 'plugin-log', plugin: 'com.example.a', loggedAtMs: 1_790_000_000_123, level: 'info', text: 'é\n'},
      {kind: 'plugin-log', plugin: 'com.example.a', loggedAtMs: 1, level: 'error', text: '', dropped: 7},
      {kind: 'client-request', action: 'navigate', plugin: 'com.example.a', payload: '"x"'},
      {kind: 'client-request', action: 'navigate', plugin: 'com.example.a'},
      {kind: 'client-request', action: 'play-sound', url: 'http://localhost:7172/a.wav'},
      {kind: 'client-request', action: 'stop-sound'},
    ] as const
  ).map(event => ({...event, cursor}));
  for (const event of others)
    test(`comes back: ${JSON.stringify(event)}`, () =>
      expect(readEvent(text(formatEvent(event, storeId)))).toEqual(event));

  test('of a kind or an action of a later version is not known', () => {
    for (const later of ['{"kind":"entry-locked"}', '{"kind":"client-request","action":"fly"}'])
      expect(readEvent(later)).toBeUndefined();
  });

  test('is the same in the answer to a request that waits', () => {
    const events = [written('1.0'), ...others];
    const sent = text(formatPolled({events, cursor: 9, storeId}, each => formatEvent(each, storeId)));
    expect(JSON.parse(sent)).toMatchObject({cursor: `${storeId}-9`});
    expect(readExactTexts(sent, ['events', EACH])).toEqual(events.map(each => text(formatEvent(each, storeId))));
  });
});

describe('readExactTexts()', () => {
  test('finds values at their depth only, with any white space', () => {
    const json = ' { "a" : [ { "b" : 1.0 , "c" : "b" } , [ ] , { "b" : [ { "b" : 2 } ] } , 7 ] , "b" : null } ';
    expect(readExactTexts(json, ['a', EACH, 'b'])).toEqual(['1.0', '[ { "b" : 2 } ]']);
    expect(readExactTexts(json, ['b'])).toEqual(['null']);
    expect(readExactTexts(json, ['b', 'c'])).toEqual([]);
  });
});

describe('a transaction', () => {
  const read = async (sent: string): Promise<Transaction> =>
    readTransaction(new TextEncoder().encode(sent), {...DEFAULT_LIMITS, valueDepthMax: 4});

  test('brings back keys, revisions, values and patches', async () => {
    const transaction = {
      id: '5f0c-"1"',
      checks: [
        {key: 'a', expected: 'absent' as const},
        {key: 'b', expected: {storeId, revision: 4}},
      ],
      operations: [
        {kind: 'put' as const, key: 'é', value: encodeJsonText('1.0'), ttlSeconds: 7},
        {kind: 'patch' as const, key: 'b', patch: encodeJsonText('{"a":1e400}')},
        {kind: 'touch' as const, key: 'c', ttlSeconds: null},
        {kind: 'delete' as const, key: 'd'},
      ],
    };
    const sent = formatTransaction(transaction, given => (typeof given === 'object' ? `${storeId}-4` : 'bare'));
    expect(await read(sent)).toEqual(transaction);
  });

  test('keeps numbers that JSON cannot hold, so that they are refused', async () => {
    for (const ttlSeconds of [NaN, Infinity, -Infinity]) {
      const sent = formatTransaction({operations: [{kind: 'touch', key: 'a', ttlSeconds}]}, String);
      await expect(read(sent)).rejects.toMatchObject({failure: {problems: [{path: '$.operations[0].ttlSeconds'}]}});
    }
  });

  test('accepts only values and patches that are JSON', () => {
    const bytes = new TextEncoder().encode('{"a":"é"}');
    for (const value of ['1}', {a: 1}, undefined, bytes]) expect(isWritable({kind: 'put', key: 'a', value})).toBe(true);
    const wrong = ['', '1}', '\ufeff1'].map(text => new TextEncoder().encode(text));
    for (const patch of [...wrong, bytes.subarray(1), Uint8Array.of(0x22, 0xff, 0x22)])
      expect(isWritable({kind: 'patch', key: 'a', patch}), String(patch)).toBe(false);
    expect(isWritable({kind: 'delete', key: 'a'})).toBe(true);
  });

  test('decodes no more of a key than what shows that it is too long', async () => {
    const key = 'x'.repeat(100_000);
    const sent = formatTransaction({operations: [{kind: 'delete', key}]}, String);
    const {operations} = await read(sent);
    expect(operations.map(each => each.key.length)).toEqual([6 * (KEY_BYTES_MAX + 1)]);
    expect(() => parseKey(operations[0]?.key ?? '')).toThrow('it is longer than 512 bytes');
  });

  test('answers with its revision', () =>
    expect(readCommitted(formatCommitted({storeId, revision: 57}))).toEqual({storeId, revision: 57, etag: '"0a-57"'}));
});

describe('a failure', () => {
  test('is converted back with its members and its message', () => {
    const failure = {code: 'no-entry', key: '"value":'} as const;
    const sent = formatFailure(new AppError(failure), {title: 'Not Found', instance: 'id'});
    expect(readSentFailure(sent)).toMatchObject({failure, message: new AppError(failure).message});
  });

  for (const code of ['entry-locked', 'address-in-use', 'constructor'])
    test(`of the code "${code}" that is not known keeps code, message and advice`, () => {
      const json = JSON.stringify({code, status: 409, detail: 'It is locked', advice: 'Wait', new: 1});
      const read = readSentFailure(json);
      expect({...read, message: read.message}).toEqual({
        name: 'AppError',
        code,
        failure: undefined,
        status: 409,
        message: 'It is locked',
        advice: 'Wait',
      });
    });
});

describe('the headers of an entry', () => {
  const headersOf = (raw: readonly string[]): Headers =>
    new Headers(
      Array.from({length: raw.length / 2}, (_, at): [string, string] => [raw[2 * at] ?? '', raw[2 * at + 1] ?? '']),
    );

  test('bring back its revision and its times', () => {
    for (const times of [{updatedAtMs: 1}, {updatedAtMs: 1, expiresAtMs: 2}]) {
      const sent = {storeId, revision: 12, ...times};
      expect(readEntryHeaders(headersOf(formatEntryHeaders(sent, '"0a-12"')))).toEqual({...sent, etag: '"0a-12"'});
    }
  });
});

describe('a session', () => {
  const signedOut: SessionStatus = {
    ...{state: 'signed-out', source: 'none', changedAtMs: 5},
    ...{stale: false, unverifiable: false},
  };
  const scriptURL = 'https://a.example/';
  const unreachable = {
    code: 'back-end-failed',
    url: scriptURL,
    stage: 'connection',
    problem: 'no server listens',
  } as const;
  const statuses: readonly {readonly name: string; readonly status: SessionStatus}[] = [
    {name: 'without a pilot', status: signedOut},
    {
      name: 'with every member',
      status: {
        state: 'signed-in',
        source: 'back-end',
        changedAtMs: 5,
        summary: 'Ada Quill (VMS0001), a.example',
        expiresAtMs: 6,
        stale: true,
        verifiedAtMs: 5,
        unverifiable: true,
        scriptURL,
        kept: 'file',
        problem: new AppError(unreachable),
      },
    },
    {
      name: 'whose keychain is locked',
      status: {...signedOut, problem: new AppError({code: 'unavailable', what: 'keychain', problem: 'it is locked'})},
    },
  ];
  for (const {name, status} of statuses)
    test(`${name} comes back, with the failure in it`, () => {
      const read = readSession(formatSession(status));
      const {problem, ...others} = read;
      const {problem: written, ...sent} = status;
      expect(others).toEqual(sent);
      expect([problem?.failure, problem?.message]).toEqual([written?.failure, written?.message]);
    });

  test('has the members of a failure beside its message and advice', () => {
    const {problem} = JSON.parse(formatSession({...signedOut, problem: new AppError(unreachable)}));
    const detail = expect.stringContaining('no server listens');
    const type = '/docs/errors/back-end-failed';
    expect(problem).toEqual({type, ...unreachable, detail, advice: expect.stringMatching(/./)});
  });

  test('keeps the message and the advice of a failure that this version does not know', () => {
    const problem = {code: 'back-end-asleep', detail: 'it sleeps', advice: 'wake it', hours: 8};
    const read = readSession(JSON.stringify({...JSON.parse(formatSession(signedOut)), problem}));
    expect(read.problem).toMatchObject({code: 'back-end-asleep', message: 'it sleeps', advice: 'wake it'});
    expect(read.problem?.failure).toBeUndefined();
    expect(JSON.parse(formatSession(read)).problem).toEqual({
      type: '/docs/errors/back-end-asleep',
      code: 'back-end-asleep',
      detail: 'it sleeps',
      advice: 'wake it',
    });
  });

  test('a sign-in brings back its credentials', () => {
    const request = {scriptURL: 'https://a.example/', username: 'é', password: '"'};
    expect(SIGN_IN.read(new TextEncoder().encode(formatSignIn(request)))).toEqual(request);
    expect(() => SIGN_IN.read(new TextEncoder().encode('{"username":"a"}'))).toThrow(AppError);
  });
});

test('the result of an import comes back', () => {
  const imported = {dryRun: true, entries: 1, created: 2, replaced: 3, expired: 4, deleted: 5, batches: 6, revision: 7};
  expect(readImported(formatImported(imported))).toEqual(imported);
});
