import {describe, expect, onTestFinished, test} from 'vitest';
import type {Identity, IdentitySource} from '../../src/core/domain/identity/identity.ts';
import {bearer, createToken} from '../support/access-tokens.ts';
import type {RawAnswer} from '../support/raw-client.ts';
import {callService, startService, useService} from '../support/service.ts';

const service = useService();

/** Has an identity whose form without secrets is the whole document. */
const WITHOUT_SECRETS: IdentitySource = {
  origin: {kind: 'profile', file: '/profile.json'},
  current: () => IDENTITY,
  onChange: () => () => {},
  [Symbol.asyncDispose]: async () => {},
};
const IDENTITY: Identity = {json: Buffer.from('{"va_user":{}}'), summary: 'Ada'};

function call(line: string, headers: readonly string[] = [], body?: string): Promise<RawAnswer> {
  return callService(service(), line, {headers, body});
}

/** Stores a value and returns its ETag; the entry is deleted after the test. */
async function store(key: string, value = '1'): Promise<string> {
  onTestFinished(async () => void (await service().crewroom.entries.delete(key)));
  return (await call(`PUT /api/store/${key}`, [], value)).headers.get('etag') ?? '';
}

async function readValue(key: string): Promise<string | undefined> {
  const entry = await service().crewroom.entries.get(key);
  return entry === undefined ? undefined : Buffer.from(entry.json).toString();
}

describe('answers of the store', () => {
  test('POST answers 200 {} and PATCH 200 whether or not the entry existed, PUT distinguishes', async () => {
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
    expect(answers.map(({status}) => status)).toEqual([200, 200, 200, 200, 201, 200, 200, 200]);
    const [posted, again] = answers;
    expect([posted?.body.toString(), again?.body.toString()]).toEqual(['{}', '{}']);
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
        expect(answer.headers.get('etag'), method).toBe(status === 400 ? undefined : etag);
        expect(answer.body.length > 0, method).toBe(status !== 304 && method === 'GET');
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

describe('a conditional read of a document', () => {
  for (const path of ['/api/identity', '/openapi.json']) {
    test(`${path} is 304 with its ETag, which is strong`, async () => {
      const whole = await call(`GET ${path}`);
      const etag = whole.headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[\w-]{43}"$/);
      for (const method of ['GET', 'HEAD']) {
        for (const given of [etag, `W/${etag}`, `"x,y", ${etag}`, '*']) {
          const {status, headers, body} = await call(`${method} ${path}`, [`If-None-Match: ${given}`]);
          expect([status, headers.get('etag'), body.length], given).toEqual([304, etag, 0]);
          expect(headers.get('cache-control')).toBe('no-store');
        }
        const other = await call(`${method} ${path}`, ['If-None-Match: "x"']);
        expect([other.status, other.headers.get('etag')]).toEqual([200, etag]);
        expect(other.headers.get('content-length')).toBe(String(whole.body.length));
      }
      expect((await call(`GET ${path}`, [`If-None-Match: ${etag.slice(1)}`])).json).toMatchObject({
        code: 'invalid-header',
      });
    });
  }

  test('/api/identity is sent again once the pilot changed', async () => {
    const use = (name: string) => call('PUT /api/pilots/current', [], JSON.stringify({name}));
    onTestFinished(async () => void (await use('captain')));
    const etag = (await call('GET /api/identity')).headers.get('etag');
    await use('first-officer');
    const changed = await call('GET /api/identity', [`If-None-Match: ${etag}`]);
    expect([changed.status, changed.json]).toEqual([200, (await call('GET /api/identity')).json]);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });

  test('/api/identity has an ETag for each form: a caller never gets 304 for the form of another', async () => {
    await using started = await startService({}, {openIdentity: async () => WITHOUT_SECRETS});
    const read = async (permission: string, ...headers: readonly string[]) => {
      const token = await createToken(started, [permission]);
      return callService(started, 'GET /api/identity', {headers: [bearer(token), ...headers]});
    };
    const [limited, whole] = [await read('identity:read'), await read('identity:secrets')];
    // Not even where both forms have the same bytes.
    expect(limited.body).toEqual(whole.body);
    const tags = [limited, whole].map(({headers}) => headers.get('etag'));
    const statusesOf = (permission: string): Promise<readonly number[]> =>
      Promise.all(tags.map(async tag => (await read(permission, `If-None-Match: ${tag}`)).status));
    expect(await statusesOf('identity:read')).toEqual([304, 200]);
    expect(await statusesOf('identity:secrets')).toEqual([200, 304]);
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
