import {describe, expect, test} from 'vitest';
import type {RawAnswer} from '../support/raw-client.ts';
import {callService, useService} from '../support/service.ts';

const service = useService();

function call(line: string, headers: readonly string[] = [], body?: string): Promise<RawAnswer> {
  return callService(service(), line, {headers, body});
}

/** Members of answers about revisions. */
interface Tagged {
  readonly revision: string;
  readonly etag: string;
}

const tagged = (answer: RawAnswer): Tagged => answer.json as unknown as Tagged;

describe('the ETag of every answer can be sent as If-Match', () => {
  test('of PUT, PATCH, DELETE and a transaction, which answer nothing else; POST answers {}', async () => {
    const {storeId} = service().crewroom;
    const put = await call('PUT /api/store/t', [], '{}');
    const {revision, etag} = tagged(put);
    expect(put.json).toEqual({revision, etag: `"${storeId}-${revision}"`});
    expect(put.headers.get('etag')).toBe(etag);

    const patched = await call('PATCH /api/store/t', [`If-Match: ${etag}`], '{"a":1}');
    expect(patched.headers.get('etag')).toBe(tagged(patched).etag);

    const operations = [{kind: 'put', key: 't', value: 2}];
    const checks = [{key: 't', revision: tagged(patched).revision}];
    const transacted = await call('POST /api/transactions', [], JSON.stringify({checks, operations}));

    const posted = await call('POST /api/store/t', [`If-Match: ${tagged(transacted).etag}`], '3');
    expect([posted.status, posted.body.toString()]).toEqual([200, '{}']);

    const deleted = await call('DELETE /api/store/t', [`If-Match: ${posted.headers.get('etag')}`]);
    for (const {json} of [patched, transacted, deleted]) {
      const {revision: number} = json as unknown as Tagged;
      expect(json).toEqual({revision: number, etag: `"${storeId}-${number}"`});
    }
  });

  test('of a listed entry, and of a conflict', async () => {
    await call('PUT /api/store/l', [], '1');
    const {json} = await call('GET /api/keys?prefix=l');
    const {entries} = json as {readonly entries: readonly Tagged[]};
    const match = `If-Match: ${entries[0]?.etag}`;
    expect((await call('PUT /api/store/l', [match], '2')).status).toBe(200);
    const refused = await call('PUT /api/store/l', [match], '3');
    expect(refused.status).toBe(412);
    const {conflicts} = refused.json as {readonly conflicts: readonly Tagged[]};
    expect((await call('PUT /api/store/l', [`If-Match: ${conflicts[0]?.etag}`], '3')).status).toBe(200);
  });

  test('of an event about an entry', async () => {
    const {etag} = tagged(await call('PUT /api/store/e', [], '1'));
    const polled = await call('GET /api/events?prefix=e&after=0&waitSeconds=5');
    expect(polled.json).toMatchObject({events: [{kind: 'entry-written', etag}]});
  });
});

describe('an If-Match that no entry can have', () => {
  test('is answered with the one that the entry has', async () => {
    const {revision, etag} = tagged(await call('PUT /api/store/b', [], '1'));
    for (const wrong of [`"${revision}"`, `W/${etag}`, '"abc"', `"abc", "${revision}"`]) {
      const refused = await call('PUT /api/store/b', [`If-Match: ${wrong}`], '2');
      expect(refused.json).toMatchObject({status: 412, code: 'revision-conflict', conflicts: [{key: 'b', etag}]});
      expect(refused.json).toHaveProperty('advice', expect.stringContaining(`If-Match: ${etag}`));
    }
  });

  test('of a missing entry has the advice of every other conflict', async () => {
    const {json} = await call('PUT /api/store/none', ['If-Match: "2"'], '2');
    expect(json).toMatchObject({conflicts: [{key: 'none', expected: '0', actual: 'absent'}]});
    expect(json).toHaveProperty('advice', expect.stringMatching(/^Read the entry again/));
  });
});
