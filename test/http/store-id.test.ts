import {describe, expect, test} from 'vitest';
import {createClient} from '../../src/client/index.ts';
import {createToken} from '../support/access-tokens.ts';
import type {RawAnswer} from '../support/raw-client.ts';
import {callService, startService, useService} from '../support/service.ts';

const service = useService();

const OTHER_ID = 'e15e4e2e';

function call(line: string, headers: readonly string[] = [], body?: string): Promise<RawAnswer> {
  return callService(service(), line, {headers, body});
}

/** Writes the entry. @returns Its revision. */
async function write(): Promise<number> {
  return (await service().crewroom.entries.put('k', 1)).revision;
}

/** Returns a revision of the entry in the forms that callers send. */
function formsOf(revision: number) {
  const {storeId} = service().crewroom;
  return {own: `${storeId}-${revision}`, bare: String(revision), other: `${OTHER_ID}-${revision}`};
}

const MALFORMED = ['x', '-1', '012', 'A-1', `${OTHER_ID}-`, `${OTHER_ID}-01`, `${'z'.repeat(33)}-1`];

describe('a revision of this store, bare or of another store', () => {
  test('with its store, as an ETag in If-Match, lets a write succeed, and no other form does', async () => {
    const {own, bare, other} = formsOf(await write());
    const put = (tag: string) => call('PUT /api/store/k', [`If-Match: "${tag}"`], '2');
    for (const tag of [bare, ...MALFORMED]) {
      const {status, json} = await put(tag);
      const conflict = {code: 'revision-conflict', conflicts: [{expected: '0'}], sent: `"${tag}"`};
      expect([status, json]).toMatchObject([412, conflict]);
      expect(json['detail']).toBe(`Cannot change "k": expected "${tag}", which no entry has, found revision ${bare}`);
    }
    const refused = await put(other);
    expect(refused.json).toMatchObject({status: 412, conflicts: [{key: 'k', expected: other, actual: bare}]});
    expect(refused.json['detail']).toBe(
      `Cannot change "k": expected revision ${bare} of another store, found revision ${bare}`,
    );
    expect((await put(own)).status).toBe(200);
  });

  test('with its store, as an ETag in If-None-Match, gives 304, and no other form does', async () => {
    const {own, bare, other} = formsOf(await write());
    const get = async (tag: string) => (await call('GET /api/store/k', [`If-None-Match: "${tag}"`])).status;
    expect(await Promise.all([own, bare, other, ...MALFORMED].map(get))).toEqual([
      304,
      200,
      200,
      ...MALFORMED.map(() => 200),
    ]);
  });

  test('is accepted in the checks of a transaction; one of another store always fails', async () => {
    const transact = (revision: string) =>
      call('POST /api/transactions', [], JSON.stringify({checks: [{key: 'k', revision}], operations: []}));
    const {own, bare, other} = formsOf(await write());
    for (const revision of [own, bare]) expect((await transact(revision)).status).toBe(200);
    expect((await transact(other)).json).toMatchObject({
      ...{status: 412, code: 'revision-conflict'},
      conflicts: [{key: 'k', expected: other, actual: bare}],
    });
    for (const revision of MALFORMED) expect((await transact(revision)).status, revision).toBe(422);
  });

  const doors = [
    {name: 'after', poll: (id: string) => call(`GET /api/events?waitSeconds=1&after=${id}`)},
    {name: 'Last-Event-ID', poll: (id: string) => call('GET /api/events?waitSeconds=1', [`Last-Event-ID: ${id}`])},
  ];
  for (const {name, poll} of doors) {
    test(`is accepted in ${name}; one of another store causes a reset`, async () => {
      const {own, bare, other} = formsOf(await write());
      const {storeId} = service().crewroom;
      const revision = String(await write());
      const cursor = `${storeId}-${revision}`;
      for (const id of [own, bare])
        expect((await poll(id)).json).toMatchObject({
          events: [{kind: 'entry-written', storeId, revision}],
          cursor,
        });
      expect((await poll(other)).json).toEqual({events: [{kind: 'reset', storeId, revision, cursor}], cursor});
      expect((await poll(`${OTHER_ID}-999999999999999`)).json).toMatchObject({events: [{kind: 'reset'}]});
      for (const id of MALFORMED) {
        const {status, json} = await poll(id);
        const reset = {events: [{kind: 'reset'}]};
        expect([status, json]).toMatchObject(name === 'after' ? [400, {code: 'invalid-parameter'}] : [200, reset]);
      }
    });
  }

  test('has its store in listings and in GET /api', async () => {
    const {storeId} = service().crewroom;
    expect((await call('GET /api/keys')).json).toMatchObject({storeId});
    expect((await call('GET /api')).json).toMatchObject({storeId});
  });

  test('has its data directory in GET /api, unless it is in memory', async () => {
    const {dataDir} = service().crewroom.config;
    expect((await call('GET /api')).json).toMatchObject({dataDir});
    const token = await createToken(service(), ['admin']);
    expect((await call('GET /api', [`Authorization: Bearer ${token}`])).json).not.toHaveProperty('dataDir');
    await using allowing = await startService({allowOrigins: ['http://a.example']});
    const answer = await callService(allowing, 'GET /api', {headers: ['Origin: http://a.example']});
    expect([answer.status, Object.hasOwn(answer.json, 'dataDir')]).toEqual([200, false]);
    await using inMemory = await startService({ephemeral: true});
    expect(await (await fetch(`${inMemory.url}/api`)).json()).not.toHaveProperty('dataDir');
  });
});

describe('a client', () => {
  test('remembers its first store: its numbers match nothing in another store', async () => {
    await using another = await startService({ephemeral: true});
    let {fetch} = service().crewroom;
    const {entries, events} = createClient({fetch: request => fetch(request), baseUrl: service().url});
    const {revision} = await entries.put('k', 'here');
    // The same number of commits, so that an entry has the same revision.
    while ((await another.crewroom.entries.put('k', 'there')).revision < revision);
    fetch = request => another.crewroom.fetch(new Request(request.url.replace(service().url, another.url), request));
    const conflict = {failure: {code: 'revision-conflict'}};
    await expect(entries.put('k', 1, {expected: revision})).rejects.toMatchObject(conflict);
    await expect(entries.put('k', 1, {expected: [revision, revision + 1]})).rejects.toMatchObject(conflict);
    await expect(entries.delete('k', {expected: revision})).rejects.toMatchObject(conflict);
    const checks = [{key: 'k', expected: revision}];
    await expect(entries.transact({checks, operations: [{kind: 'delete', key: 'k'}]})).rejects.toMatchObject(conflict);
    expect((await entries.get('k'))?.text).toBe('"there"');
    for await (const event of events({after: revision})) {
      expect(event.kind).toBe('reset');
      break;
    }
  });

  test('applies a number from before its first request to the current store', async () => {
    const revision = await write();
    const asked = () => createClient({fetch: service().crewroom.fetch, baseUrl: service().url}).entries;
    await expect(asked().put('k', 2, {expected: revision + 1})).rejects.toMatchObject({
      failure: {conflicts: [{expected: String(revision + 1), actual: String(revision)}]},
    });
    expect((await asked().put('k', 2, {expected: revision})).revision).toBe(revision + 1);
  });
});
