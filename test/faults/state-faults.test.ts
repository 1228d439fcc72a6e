import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {SAMPLE_DOCUMENT} from '../../src/service/identity/sample-document.ts';
import {openEventStream} from '../support/event-stream.ts';
import {call, setFaults} from '../support/faults.ts';
import {ADA} from '../support/pilots.ts';
import {startInTest} from '../support/service.ts';
import {createMachine, writeAirline} from '../support/session-service.ts';

describe('a full disk', () => {
  test('refuses writes with 507 and keeps values; deletions and reads work; nothing is left when it ends', async () => {
    const service = await startInTest();
    await call(service, 'PUT /api/store/a', '"old"');
    await setFaults(service, {kind: 'disk-full'});
    expect(await call(service, 'PUT /api/store/a', '"new"')).toMatchObject({
      status: 507,
      fault: 'disk-full',
      json: {code: 'disk-full', advice: expect.stringContaining('crewroom fault clear')},
    });
    expect((await call(service, 'PATCH /api/store/a', '{"b":1}')).status).toBe(507);
    const operations = [
      {kind: 'delete', key: 'a'},
      {kind: 'put', key: 'b', value: 1},
    ];
    expect((await call(service, 'POST /api/transactions', JSON.stringify({operations}))).status).toBe(507);
    expect(await service.crewroom.entries.get('a')).toMatchObject({value: 'old'});
    await expect(service.crewroom.entries.put('a', 2)).rejects.toMatchObject({failure: {code: 'disk-full'}});
    expect(await call(service, 'DELETE /api/store/a')).toMatchObject({status: 200, fault: null});
    await setFaults(service);
    expect((await call(service, 'GET /api/keys')).json).toMatchObject({entries: []});
    expect(await call(service, 'PUT /api/store/a', '3')).toMatchObject({status: 201, fault: null});
  });
});

describe('a read-only store', () => {
  test('refuses writes and deletions, and is not ready; reads work', async () => {
    const service = await startInTest();
    await call(service, 'PUT /api/store/a', '1');
    await setFaults(service, {kind: 'store-read-only'});
    for (const line of ['PUT /api/store/a', 'DELETE /api/store/a', 'DELETE /api/keys?prefix=a'])
      expect(await call(service, line, line.startsWith('PUT') ? '2' : undefined)).toMatchObject({
        status: 503,
        fault: 'store-read-only',
        json: {code: 'store-read-only'},
      });
    expect(await call(service, 'GET /readyz')).toMatchObject({
      status: 503,
      fault: 'store-read-only',
      json: {ready: false, storeState: 'read-only', faults: ['store-read-only']},
    });
    expect(await call(service, 'GET /api/store/a')).toMatchObject({status: 200, fault: null, json: {}});
    await setFaults(service);
    expect(await call(service, 'GET /readyz')).toMatchObject({status: 200, fault: null, json: {ready: true}});
    expect((await call(service, 'PUT /api/store/a', '2')).status).toBe(200);
  });

  test('refuses every kind of write, and is counted', async () => {
    const service = await startInTest();
    const {entries, transfer} = service.crewroom;
    await entries.put('a', {});
    const exported = await (await fetch(`${service.url}/api/export`)).text();
    await setFaults(service, {kind: 'store-read-only'});
    const writes = [
      () => entries.put('a', 1),
      () => entries.patch('a', {b: 1}),
      () => entries.touch('a', 60),
      () => entries.transact({operations: [{kind: 'delete', key: 'a'}]}),
      () => entries.delete('a'),
      () => entries.deleteRange({prefix: ''}),
      () => transfer.import([Buffer.from(exported)]),
      () => transfer.import([Buffer.from(exported)], {mode: 'replace'}),
    ];
    for (const write of writes)
      await expect(write()).rejects.toMatchObject({failure: {code: 'store-read-only', fault: 'store-read-only'}});
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain('crewroom_store_read_only 1');
    expect((await entries.get('a'))?.revision).toBe(1);
  });

  test('is not the store itself: after a restart everything is there', async () => {
    const {start} = await createMachine();
    const first = await start();
    await first.crewroom.entries.put('a', 1);
    await setFaults(first, {kind: 'store-read-only'}, {kind: 'disk-full'});
    await first.stop();
    const second = await start();
    expect(await second.crewroom.entries.get('a')).toMatchObject({value: 1});
    expect((await call(second, 'GET /api/faults')).json).toEqual({faults: []});
    expect((await call(second, 'PUT /api/store/a', '2')).status).toBe(200);
  });
});

describe('an expired session', () => {
  test('of a sample: no pilot is signed in, which is announced both ways', async () => {
    const service = await startInTest({ephemeral: true});
    const events = await openEventStream(`${service.url}/api/events`);
    onTestFinished(() => events[Symbol.asyncDispose]());
    await setFaults(service, {kind: 'session-expired'});
    expect(await call(service, 'GET /api/identity')).toMatchObject({
      status: 404,
      fault: 'session-expired',
      json: {
        code: 'no-identity',
        detail: expect.stringContaining('a fault'),
        advice: expect.stringContaining('fault clear'),
      },
    });
    expect(await call(service, 'GET /api/session')).toMatchObject({
      fault: 'session-expired',
      json: {state: 'signed-out', source: 'sample'},
    });
    expect((await call(service, 'GET /readyz')).json).toMatchObject({identity: {signedIn: false}});
    await setFaults(service, {kind: 'session-expired'}, {kind: 'disk-full'});
    await setFaults(service);
    expect(await call(service, 'GET /api/identity')).toMatchObject({status: 200, fault: null, json: SAMPLE_DOCUMENT});
    await service.crewroom.entries.put('last', 1);
    expect((await events.take(3)).map(({type}) => type)).toEqual([
      'identity-changed',
      'identity-changed',
      'entry-written',
    ]);
  });

  test('of an airline: it looks expired, and the kept session stays as it is', async () => {
    const {start, directory, backEnd} = await createMachine();
    const settings = {airline: await writeAirline(directory, backEnd.scriptURL)};
    const first = await start(settings);
    await first.client.sessions.signIn({username: '1', password: ADA.password});
    const identity = first.crewroom.identitySource.current();
    await setFaults(first, {kind: 'session-expired'});
    expect(await call(first, 'GET /api/session')).toMatchObject({
      fault: 'session-expired',
      json: {state: 'expired', source: 'back-end', problem: {code: 'session-unknown', fault: 'session-expired'}},
    });
    expect((await call(first, 'GET /api/identity')).status).toBe(404);
    expect(await call(first, 'POST /api/session/verify')).toMatchObject({status: 404, fault: 'session-expired'});
    for (const line of ['DELETE /api/session', 'POST /api/session'])
      expect(
        await call(first, line, line.startsWith('POST') ? '{"username":"1","password":"x"}' : undefined),
      ).toMatchObject({
        status: 409,
        json: {code: 'not-offered', what: 'sign-in', advice: expect.stringContaining('fault clear')},
      });
    await setFaults(first);
    expect(first.crewroom.identitySource.current()).toBe(identity);
    await setFaults(first, {kind: 'session-expired'});
    await first.stop();
    const second = await start(settings);
    expect(await second.client.sessions.status()).toMatchObject({state: 'signed-in', summary: identity?.summary});
  });
});

describe('an airline that is away', () => {
  test('leaves the last known identity, stale, and no pilot can sign in', async () => {
    const {start, directory, backEnd} = await createMachine();
    const service = await start({airline: await writeAirline(directory, backEnd.scriptURL)});
    await service.client.sessions.signIn({username: '1', password: ADA.password});
    await setFaults(service, {kind: 'airline-away'});
    expect(await call(service, 'GET /api/session')).toMatchObject({
      fault: 'airline-away',
      json: {state: 'signed-in', stale: true, problem: {code: 'back-end-failed', url: backEnd.scriptURL}},
    });
    expect((await call(service, 'GET /readyz')).json).toMatchObject({identity: {signedIn: true, stale: true}});
    expect(await call(service, 'GET /api/identity')).toMatchObject({status: 200, fault: null});
    const calls = backEnd.requests.length;
    expect((await call(service, 'POST /api/session/verify')).status).toBe(202);
    expect(await call(service, 'POST /api/session', '{"username":"1","password":"x"}')).toMatchObject({
      status: 502,
      fault: 'airline-away',
      json: {code: 'back-end-failed'},
    });
    expect(backEnd.requests.length).toBe(calls);
    await setFaults(service);
    expect((await call(service, 'GET /api/session')).json).toMatchObject({stale: false, unverifiable: false});
  });

  test('of a sample or a profile is shown by the state', async () => {
    const {start, directory} = await createMachine();
    const profile = join(directory, 'profile.json');
    await writeFile(profile, JSON.stringify(SAMPLE_DOCUMENT));
    const service = await start({profile});
    await setFaults(service, {kind: 'airline-away'});
    expect((await call(service, 'GET /api/session')).json).toMatchObject({
      state: 'signed-in',
      source: 'profile',
      stale: true,
      problem: {code: 'back-end-failed', url: 'https://air.example/back-end/'},
    });
    expect(JSON.parse(await readFile(profile, 'utf8'))).toEqual(SAMPLE_DOCUMENT);
  });
});

describe('a clock that is ahead', () => {
  test('expires entries at once, and announces it', async () => {
    const service = await startInTest({ephemeral: true});
    const events = await openEventStream(`${service.url}/api/events`);
    onTestFinished(() => events[Symbol.asyncDispose]());
    await call(service, 'PUT /api/store/hour?ttlSeconds=3600', '1');
    await call(service, 'PUT /api/store/day?ttlSeconds=86400', '1');
    await setFaults(service, {kind: 'clock', offsetSeconds: 7200});
    expect(await call(service, 'GET /api/store/hour')).toMatchObject({status: 404, fault: 'clock'});
    expect(await call(service, 'GET /api/store/day')).toMatchObject({status: 200, fault: 'clock'});
    expect(await call(service, 'GET /api/identity')).toMatchObject({status: 200, fault: null});
    expect((await events.take(3)).map(({type}) => type)).toEqual(['entry-written', 'entry-written', 'entry-expired']);
    await setFaults(service);
    expect(await call(service, 'GET /api/store/hour')).toMatchObject({status: 404, fault: null});
    await call(service, 'PUT /api/store/new?ttlSeconds=60', '1');
    expect((await call(service, 'GET /api/store/new')).status).toBe(200);
  });

  test('is refused for a store on disk, whose entries it would delete for good', async () => {
    const service = await startInTest();
    const body = JSON.stringify({faults: [{kind: 'disk-full'}, {kind: 'clock', offsetSeconds: 60}]});
    expect(await call(service, 'PUT /api/faults', body)).toMatchObject({
      status: 422,
      json: {
        code: 'invalid-body',
        what: 'faults',
        problems: [{path: '$.faults[1]', problem: expect.stringContaining('--ephemeral')}],
      },
    });
    expect((await call(service, 'GET /api/faults')).json).toEqual({faults: []});
  });
});
