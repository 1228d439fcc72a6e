import {expect, test} from 'vitest';
import {bearer, createToken} from '../support/access-tokens.ts';
import {callService, startInTest} from '../support/service.ts';

test('a read, a listing, an event and an export name the token that wrote an entry, and an import its importer', async () => {
  const service = await startInTest({ephemeral: true});
  const writer = bearer(await createToken(service, ['entries:write:'], {name: 'writer'}));
  const importer = bearer(await createToken(service, ['entries:write:'], {name: 'importer'}));
  const call = (line: string, headers: readonly string[] = [], body?: string) =>
    callService(service, line, {headers, body});

  await call('PUT /api/store/a', [writer], '1');
  await call('PUT /api/store/b', [], '1');
  expect((await call('GET /api/store/a')).headers.get('written-by')).toBe('token:writer');
  expect((await call('GET /api/store/b')).headers.has('written-by')).toBe(false);
  expect((await call('GET /api/keys')).json['entries']).toMatchObject([
    {key: 'a', writtenBy: 'token:writer'},
    {key: 'b'},
  ]);

  const events = await (await fetch(`${service.url}/api/events?after=0&waitSeconds=5`)).text();
  expect(events).toContain('"writtenBy":"token:writer"');
  const exported = await (await fetch(`${service.url}/api/export?prefix=a`)).text();
  expect(exported).toContain('"writtenBy":"token:writer"');
  expect((await call('POST /api/import', [importer, 'Content-Type: application/x-ndjson'], exported)).status).toBe(200);
  expect((await call('GET /api/store/a')).headers.get('written-by')).toBe('token:importer');
});
