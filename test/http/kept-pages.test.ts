import {expect, test} from 'vitest';
import {callService, useService} from '../support/service.ts';

let aheadMs = 0;
const service = useService({}, {nowMs: () => Date.now() + aheadMs});

/** Lists the keys below a prefix three times: the second page is kept, and the third the one that was kept. */
async function poll(query: string): Promise<readonly string[]> {
  const polled = [];
  for (let count = 0; count < 3; count++) {
    const {json} = await callService(service(), `GET /api/keys?${query}`);
    polled.push(
      (json['entries'] as {readonly key: string; readonly value?: unknown}[]).map(each => JSON.stringify(each)),
    );
  }
  expect(polled[1]).toEqual(polled[0]);
  expect(polled[2]).toEqual(polled[0]);
  return (polled[0] ?? []).map(each => each.replace(/"(?:revision|updatedAt|expiresAt)":"[^"]*",?/g, ''));
}

test('a page that is polled shows every write, deletion and expiry at once', async () => {
  const {entries} = service().crewroom;
  await entries.put('p/a', '1');
  await entries.put('p/b', '2', {ttlSeconds: 60});
  const query = 'prefix=p%2F&values=true';
  const shown = (key: string, value: number): string => `{"key":"${key}","sizeBytes":1,"value":${value}}`;
  expect(await poll(query)).toEqual([shown('p/a', 1), shown('p/b', 2)]);
  await entries.put('p/a', '3');
  expect(await poll(query)).toEqual([shown('p/a', 3), shown('p/b', 2)]);
  aheadMs = 61_000;
  expect(await poll(query)).toEqual([shown('p/a', 3)]);
  await entries.transact({
    operations: [
      {kind: 'delete', key: 'p/a'},
      {kind: 'put', key: 'p/c', json: '4'},
    ],
  });
  expect(await poll(query)).toEqual([shown('p/c', 4)]);
  await entries.touch('p/c', 60);
  await poll(query);
  const {headers} = await callService(service(), `HEAD /api/keys?${query}`);
  const {body} = await callService(service(), `GET /api/keys?${query}`);
  expect(headers.get('content-length')).toBe(String(body.length));
  expect(body.toString()).toContain('"expiresAt"');
});

test('a page that is polled has no cursor once the entry behind it has expired', async () => {
  const {entries} = service().crewroom;
  const query = 'prefix=q%2F&limit=1';
  const cursor = async () => (await callService(service(), `GET /api/keys?${query}`)).json['next'];
  await entries.put('q/a', '1');
  await entries.put('q/b', '2', {ttlSeconds: 60});
  for (let count = 0; count < 3; count++) expect(await cursor()).toBe('q/a');
  aheadMs += 61_000;
  expect(await cursor()).toBeUndefined();
});
