import {describe, expect, test} from 'vitest';
import {callAs, pageOrigin, startCallers} from '../support/access-callers.ts';
import {bearer} from '../support/access-tokens.ts';
import {readOwnerToken} from '../support/owner-file.ts';
import type {PluginService} from '../support/plugin-service.ts';
import {callService} from '../support/service.ts';

/** A text that is a secret. */
const SECRET = 'hunter2-of-the-pilot';

async function listRefused(service: PluginService): Promise<readonly unknown[]> {
  const headers = [bearer(await readOwnerToken(service))];
  const {json} = await callService(service, 'GET /api/access/refused', {headers});
  return json['refused'] as readonly unknown[];
}

describe('GET /api/access/refused', () => {
  test('names what each plugin was refused, and the narrowest permission that includes it, until it has it', async () => {
    const service = await startCallers('attributed');
    const asked = async (): Promise<void> => {
      await callAs(service, 'page', {line: 'GET /api/store/com.b%2Fa%2Fx?x=1'});
      await callAs(service, 'page', {line: 'GET /api/store/com.b%2Fa%2Fy'});
      await callAs(service, 'background', {line: 'GET /api/flight'});
      await callAs(service, 'page', {line: 'GET /api/identity'});
      await callAs(service, 'page', {line: 'GET /api/com.a/x'});
      await callAs(service, 'program', {line: 'GET /api/flight'});
    };
    await asked();
    const about = {plugin: 'com.a', count: 1, refusedAt: expect.any(String)};
    const [identity, flight, entries] = [
      {...about, method: 'GET', path: '/api/identity', permission: 'identity:secrets'},
      {...about, method: 'GET', path: '/api/flight', permission: 'plugins:manage'},
      {...about, method: 'GET', path: '/api/store/com.b%2Fa%2Fy', permission: 'entries:read:com.b/a/', count: 2},
    ];
    expect(await listRefused(service)).toEqual([identity, flight, entries]);

    const headers = [bearer(await readOwnerToken(service))];
    const body = JSON.stringify({plugin: 'com.a', permissions: ['identity:secrets', 'entries:read:com.b/']});
    await callService(service, 'POST /api/access/grants', {headers, body});
    expect(await listRefused(service)).toEqual([flight]);
    await asked();
    expect(await listRefused(service)).toEqual([{...flight, count: 2}]);
  });

  test('holds no value, query, body or header of a request', async () => {
    const service = await startCallers('attributed');
    await service.crewroom.entries.put('com.b/kept', Buffer.from(JSON.stringify(SECRET)));
    const body = JSON.stringify(SECRET);
    const check = {key: 'com.b/kept', revision: '1'};
    const put = {kind: 'put', key: 'com.b/kept', value: SECRET};
    const refused = [
      {line: `GET /api/store/com.b%2Fkept?x=${SECRET}`},
      {line: `GET /api/store/com.b%2Fkept?`},
      {line: `PUT /api/store/com.b%2Fkept?ttlSeconds=9&${SECRET}`, body},
      {line: `DELETE /api/store/com.b%2Fkept?a=?${SECRET}`},
      {line: `GET /api/keys?prefix=com.b/${SECRET}&after=com.b/${SECRET}&values=true`},
      {line: `GET /api/events?prefix=com.b/${SECRET}&after=0`},
      {line: 'POST /api/transactions', body: JSON.stringify({checks: [check], operations: [put]})},
      {line: `POST /api/import?x=${SECRET}`, body: JSON.stringify({key: 'com.b/kept', value: SECRET})},
      {line: `POST /api/com.b/route?token=${SECRET}`, body},
      {line: `PUT /api/settings/com.b?x=${SECRET}`, body: JSON.stringify({password: SECRET})},
      {line: `GET /api/identity?x=${SECRET}`},
      {line: 'GET /api/identity'},
      {line: `POST /api/flight?x=${SECRET}`, body: JSON.stringify({number: SECRET})},
      {line: `GET /api/requests?q=${SECRET}`},
    ];
    for (const caller of ['page', 'background'] as const)
      for (const call of refused) await callAs(service, caller, call);
    // A fragment, which only programs of their own send, and a token that is none.
    const raw = [`Origin: ${await pageOrigin(service, 'page')}`, `X-Secret: ${SECRET}`];
    await callService(service, `GET /api/store/com.b%2Fkept#${SECRET}`, {headers: raw});
    await callService(service, `GET http://localhost:${service.port}/api/flight?x=${SECRET}`, {headers: raw});
    const listed = await listRefused(service);
    expect(listed).toEqual(
      expect.arrayContaining([
        expect.objectContaining({path: '/api/store/com.b%2Fkept', count: 5}),
        expect.objectContaining({path: '/api/flight', permission: 'plugins:manage', count: 1}),
        expect.objectContaining({path: '/api/transactions', count: 2}),
        expect.objectContaining({path: '/api/import', count: 2}),
      ]),
    );
    expect(JSON.stringify(listed)).not.toContain(SECRET);
  });

  test('names a flight that was not replaced', async () => {
    const service = await startCallers('attributed');
    service.crewroom.flight.start();
    const line = 'POST /api/com.tfdidesign.flight-tracking/startflight';
    await callAs(service, 'page', {line, body: '{}'});
    expect(await listRefused(service)).toMatchObject([{plugin: 'com.a', permission: 'plugins:manage'}]);
  });

  test('keeps the last hundred', async () => {
    const service = await startCallers('attributed');
    for (let at = 0; at < 105; at++) await callAs(service, 'page', {line: `GET /api/store/com.b%2F${at}%2Fx`});
    const listed = await listRefused(service);
    expect(listed).toHaveLength(100);
    expect(listed.at(0)).toMatchObject({permission: 'entries:read:com.b/104/'});
  });

  test('is for the owner alone, and empty in the mode open', async () => {
    const service = await startCallers('open');
    expect(await callAs(service, 'page', {line: 'GET /api/access/refused'})).toMatchObject({status: 403});
    expect(await callAs(service, 'program', {line: 'GET /api/access/refused'})).toMatchObject({status: 401});
    await callAs(service, 'page', {line: 'GET /api/identity'});
    expect(await listRefused(service)).toEqual([]);
  });
});
