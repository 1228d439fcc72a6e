import {describe, expect, onTestFinished, test} from 'vitest';
import type {RawAnswer} from '../support/raw-client.ts';
import {callService, useService} from '../support/service.ts';

const service = useService();

function call(line: string, headers: readonly string[] = [], body?: string): Promise<RawAnswer> {
  return callService(service(), line, {headers, body});
}

/** Stores a value and returns its ETag; the entry is deleted after the test. */
async function store(key: string, value = '1'): Promise<string> {
  onTestFinished(() =>
    service()
      .crewroom.entries.delete(key)
      .catch(() => {}),
  );
  return (await call(`PUT /api/store/${key}`, [], value)).headers.get('etag') ?? '';
}

async function readValue(key: string): Promise<string | undefined> {
  const entry = await service().crewroom.entries.get(key);
  return entry === undefined ? undefined : Buffer.from(entry.json).toString();
}

describe('answers of the store', () => {
  test('POST and PATCH answer 200 {} whether or not the entry existed, PUT distinguishes', async () => {
    await store('k');
    await service().crewroom.entries.delete('k');
    const answers = [
      await call('POST /api/store/k', [], '1'),
      await call('POST /api/store/k', [], '2'),
      await call('PUT /api/store/k', [], '3'),
      await call('DELETE /api/store/k'),
      await call('PUT /api/store/k', [], '4'),
      await call('PATCH /api/store/k', [], '{}'),
      await call('DELETE /api/store/k'),
      await call('PATCH /api/store/k', [], '{}'),
    ];
    expect(answers.map(({status, body}) => [status, body.toString()])).toEqual([
      [200, '{}'],
      [200, '{}'],
      [200, '{}'],
      [200, '{}'],
      [201, '{}'],
      [200, '{}'],
      [200, '{}'],
      [200, '{}'],
    ]);
    expect((await call('DELETE /api/store/absent')).json).toMatchObject({status: 404, code: 'no-entry', key: 'absent'});
  });

  test('every write has a new ETag, and reads have it too', async () => {
    const [first, second] = [await store('k', '1'), await store('k', '1')];
    expect(first).toMatch(/^"[0-9a-f]{16}-[1-9][0-9]*"$/);
    expect(second).not.toBe(first);
    for (const method of ['GET', 'HEAD']) {
      const {headers} = await call(`${method} /api/store/k`);
      expect(headers.get('etag')).toBe(second);
      expect(Math.abs(Date.parse(headers.get('updated-at') ?? '') - Date.now())).toBeLessThan(60_000);
    }
  });
});

describe('a conditional read', () => {
  const conditions = [
    {name: 'its ETag', make: (etag: string) => etag, status: 304},
    {name: 'its ETag, weak', make: (etag: string) => `W/${etag}`, status: 304},
    {name: 'its ETag among others', make: (etag: string) => `"x,y", W/"1000000", ${etag}`, status: 304},
    {name: 'anything', make: () => '*', status: 304},
    {name: 'another ETag', make: () => '"1000000"', status: 200},
    {name: 'unknown ETags', make: () => '"abc", W/"abc"', status: 200},
    {name: 'an invalid ETag', make: (etag: string) => etag.replaceAll('"', ''), status: 400},
  ];
  for (const {name, make, status} of conditions) {
    test(`unless it has ${name}: ${status}`, async () => {
      const etag = await store('k');
      for (const method of ['GET', 'HEAD']) {
        const answer = await call(`${method} /api/store/k`, [`If-None-Match: ${make(etag)}`]);
        expect(answer.status, method).toBe(status);
        if (status === 304) expect([answer.headers.get('etag'), answer.body.length]).toEqual([etag, 0]);
      }
    });
  }

  test('with a precondition for writes, or with a date, is refused', async () => {
    const etag = await store('k');
    for (const header of [`If-Match: ${etag}`, 'If-Unmodified-Since: Sat, 21 Nov 2026 18:35:22 GMT'])
      expect((await call('GET /api/store/k', [header])).json).toMatchObject({code: 'invalid-header', status: 400});
  });

  test('of an absent entry is 404', async () => {
    expect((await call('GET /api/store/absent', ['If-None-Match: *'])).status).toBe(404);
  });
});

describe('a conditional write', () => {
  for (const method of ['PUT', 'POST', 'PATCH', 'DELETE']) {
    const write = (headers: readonly string[], key = 'k'): Promise<RawAnswer> =>
      call(`${method} /api/store/${key}`, headers, method === 'DELETE' ? undefined : '"new"');

    test(`${method} succeeds if the ETag is current`, async () => {
      const etag = await store('k', '"old"');
      expect((await write([`If-Match: "1000000", ${etag}`])).status).toBe(200);
      expect(await readValue('k')).toBe(method === 'DELETE' ? undefined : '"new"');
    });

    test(`${method} answers with the actual revision if it is not`, async () => {
      const stale = await store('k', '"old"');
      const current = await store('k', '"other"');
      for (const match of [stale, `W/${current}`, '"abc"', `${stale}, "abc"`]) {
        const answer = await write([`If-Match: ${match}`]);
        expect(answer.status, match).toBe(412);
        expect(answer.json, match).toMatchObject({
          code: 'revision-conflict',
          conflicts: [{key: 'k', actual: current.replaceAll('"', '').split('-')[1]}],
        });
      }
      expect(await readValue('k')).toBe('"other"');
    });

    test(`${method} with If-Match: * requires an entry`, async () => {
      const answer = await write(['If-Match: *'], 'absent');
      // Deleting an entry that does not exist has one answer, whatever the precondition.
      expect(answer.status).toBe(method === 'DELETE' ? 404 : 412);
      expect(await readValue('absent')).toBeUndefined();
    });

    test(`${method} refuses unsupported preconditions`, async () => {
      const etag = await store('k', '"old"');
      for (const headers of [
        [`If-Match: ${etag.replaceAll('"', '')}`],
        [`If-None-Match: ${etag}`],
        [`If-Match: ${etag}`, 'If-None-Match: *'],
        ['If-Unmodified-Since: Sat, 21 Nov 2026 18:35:22 GMT'],
        ...(method === 'DELETE' ? [['If-None-Match: *']] : []),
      ])
        expect((await write(headers)).json, headers.join()).toMatchObject({code: 'invalid-header', status: 400});
      expect(await readValue('k')).toBe('"old"');
    });
  }

  for (const method of ['PUT', 'POST', 'PATCH']) {
    test(`${method} with If-None-Match: * creates an entry but does not replace one`, async () => {
      await store('k');
      await service().crewroom.entries.delete('k');
      const condition = ['If-None-Match: *'];
      expect((await call(`${method} /api/store/k`, condition, '"first"')).status).toBe(method === 'PUT' ? 201 : 200);
      const answer = await call(`${method} /api/store/k`, condition, '"second"');
      expect(answer.status).toBe(412);
      expect(answer.json).toMatchObject({conflicts: [{expected: 'absent'}]});
      expect(await readValue('k')).toBe('"first"');
    });
  }

  test('exactly one of many concurrent writers wins', async () => {
    const etag = await store('k', '0');
    const answers = await Promise.all(
      Array.from({length: 50}, (_, writer) => call('PUT /api/store/k', [`If-Match: ${etag}`], String(writer))),
    );
    expect(answers.filter(({status}) => status === 200)).toHaveLength(1);
    expect(answers.filter(({status}) => status === 412)).toHaveLength(49);
    expect(await readValue('k')).toBe(String(answers.findIndex(({status}) => status === 200)));
  });
});
