import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {SAMPLE_PILOT_NAMES} from '../../src/core/domain/identity/pilots.ts';
import {SAMPLE_DOCUMENT} from '../../src/service/identity/sample-document.ts';
import {openEventStream} from '../support/event-stream.ts';
import {ADA} from '../support/pilots.ts';
import {callService, startInTest, type TestService} from '../support/service.ts';
import {createMachine, writeAirline} from '../support/session-service.ts';

type Target = Pick<TestService, 'url'>;

async function readJson({url}: Target, path: string): Promise<unknown> {
  return (await fetch(url + path)).json();
}

async function use({url}: Target, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(`${url}/api/pilots/current`, {method: 'PUT', body: text, headers});
}

const AVAILABLE = SAMPLE_PILOT_NAMES.map(name =>
  expect.objectContaining(name === 'signed-out' ? {name} : {name, summary: expect.stringContaining('(CRW00')}),
);

describe('GET /api/pilots', () => {
  test('lists the sample pilots, and which is served', async () => {
    const service = await startInTest({ephemeral: true});
    expect(await readJson(service, '/api/pilots')).toEqual({pilots: AVAILABLE, current: 'captain'});
    expect(await readJson(service, '/readyz')).toMatchObject({identity: {source: 'sample', pilot: 'captain'}});
  });

  test('has no current pilot if the identity is not a sample', async () => {
    const service = await startInTest({ephemeral: true, profile: 'none'});
    expect(await readJson(service, '/api/pilots')).toEqual({pilots: AVAILABLE});
    expect(await readJson(service, '/readyz')).not.toHaveProperty('identity.pilot');
  });
});

describe('PUT /api/pilots/current', () => {
  test('serves another pilot, and announces it once', async () => {
    const service = await startInTest({ephemeral: true});
    const events = await openEventStream(`${service.url}/api/events`);
    onTestFinished(() => events[Symbol.asyncDispose]());
    const response = await use(service, {name: 'first-officer'});
    expect([response.status, await response.json()]).toEqual([200, {pilots: AVAILABLE, current: 'first-officer'}]);
    expect(await readJson(service, '/api/identity')).toMatchObject({va_user: {pilotID: 'CRW0043', avatar: null}});
    expect((await use(service, {name: 'first-officer'})).status).toBe(200);
    expect((await use(service, {name: 'maintenance'})).status).toBe(200);
    await service.crewroom.entries.put('last', 1);
    expect((await events.take(3)).map(({type}) => type)).toEqual([
      'identity-changed',
      'identity-changed',
      'entry-written',
    ]);
  });

  test('can serve no pilot, and one again', async () => {
    const service = await startInTest({ephemeral: true});
    await use(service, {name: 'signed-out'});
    expect(await readJson(service, '/api/identity')).toMatchObject({status: 404, code: 'no-identity'});
    expect(await readJson(service, '/api/session')).toMatchObject({state: 'signed-out', source: 'sample'});
    expect(await readJson(service, '/readyz')).toMatchObject({identity: {signedIn: false, pilot: 'signed-out'}});
    await use(service, {name: 'captain'});
    expect(await readJson(service, '/api/identity')).toEqual(SAMPLE_DOCUMENT);
  });

  test('serves very long names in many scripts unchanged', async () => {
    const service = await startInTest({ephemeral: true});
    await use(service, {name: 'long-names'});
    const identity = service.crewroom.identitySource.current();
    const response = await fetch(`${service.url}/api/identity`);
    expect(Buffer.from(await response.arrayBuffer()).equals(identity?.json ?? Buffer.of())).toBe(true);
    expect(await readJson(service, '/readyz')).toMatchObject({identity: {summary: identity?.summary}});
  });

  test('ends with the service', async () => {
    const {start} = await createMachine();
    const first = await start();
    expect(first.crewroom.pilots.use('maintenance').current).toBe('maintenance');
    await first.stop();
    const second = await start();
    expect(second.crewroom.pilots.list().current).toBe('captain');
  });

  const wrong = [
    {name: 'an unknown name', body: {name: 'ada'}, path: '$.name'},
    {name: 'a name that is not a text', body: {name: 7}, path: '$.name'},
    {name: 'no name', body: {}, path: '$.name'},
    {name: 'an unknown member', body: {name: 'captain', pilot: 'captain'}, path: '$.pilot'},
    {name: 'a text', body: '"captain"', path: '$'},
    {name: 'many members', body: Object.fromEntries(Array.from({length: 99}, (_, n) => [`m${n}`, 1])), path: '$'},
  ];
  for (const {name, body, path} of wrong)
    test(`refuses ${name}`, async () => {
      const service = await startInTest({ephemeral: true});
      const response = await use(service, body);
      expect([response.status, await response.json()]).toMatchObject([
        422,
        {code: 'invalid-body', what: 'pilot', problems: expect.arrayContaining([expect.objectContaining({path})])},
      ]);
      expect(service.crewroom.pilots.list().current).toBe('captain');
    });

  test('is refused to foreign pages, and allowed to pages of this service', async () => {
    const service = await startInTest({ephemeral: true});
    const foreign = await use(service, {name: 'signed-out'}, {Origin: 'https://evil.example'});
    expect([foreign.status, await foreign.json()]).toMatchObject([403, {code: 'foreign-page', why: 'origin'}]);
    expect(service.crewroom.pilots.list().current).toBe('captain');
    const own = [`Origin: http://localhost:${service.port}`, 'Sec-Fetch-Site: same-origin'];
    const {status} = await callService(service, 'PUT /api/pilots/current', {
      headers: own,
      body: '{"name": "signed-out"}',
    });
    expect([status, service.crewroom.pilots.list().current]).toEqual([200, 'signed-out']);
  });
});

describe('a sample pilot never replaces', () => {
  /** Returns the identity of an answer, or the code of its failure. */
  const identityIn = (text: string): string => (text.includes('va_user') ? text : JSON.parse(text).code);

  async function expectRefusal(target: Target, problem: string, advice: string): Promise<void> {
    const before = await (await fetch(`${target.url}/api/identity`)).text();
    const response = await use(target, {name: 'first-officer'});
    expect([response.status, await response.json()]).toMatchObject([
      409,
      {
        code: 'not-offered',
        what: 'pilots',
        problem,
        detail: `Cannot switch the sample pilot: ${problem}`,
        advice,
      },
    ]);
    const after = await (await fetch(`${target.url}/api/identity`)).text();
    expect(identityIn(after)).toBe(identityIn(before));
    expect(await readJson(target, '/api/pilots')).toEqual({pilots: AVAILABLE});
  }

  test('a profile', async () => {
    const {start, directory} = await createMachine();
    const profile = join(directory, 'profile.json');
    await writeFile(profile, JSON.stringify(SAMPLE_DOCUMENT));
    await expectRefusal(
      await start({profile}),
      'the identity comes from a profile',
      'Start the service without --profile',
    );
  });

  test('no identity, if that is configured', async () => {
    const service = await startInTest({ephemeral: true, profile: 'none'});
    await expectRefusal(service, 'the service was started without an identity', 'Start the service without --profile');
  });

  test('the pilots of an airline', async () => {
    const {start, directory, backEnd} = await createMachine();
    const service = await start({airline: await writeAirline(directory, backEnd.scriptURL)});
    const advice = '"npx crewroom start --ephemeral --port 0" starts a service with samples beside this one';
    await expectRefusal(service, 'pilots sign in at their airline', advice);
    await service.client.sessions.signIn({username: '1', password: ADA.password});
    await expectRefusal(service, 'a pilot is signed in', advice);
  });

  test('a pilot who is signed in; after the sign-out the sample is the one from before', async () => {
    const {start, backEnd} = await createMachine();
    const service = await start();
    service.crewroom.pilots.use('maintenance');
    await service.client.sessions.signIn({username: '1', password: ADA.password, scriptURL: backEnd.scriptURL});
    const advice = 'Sign out: in the console, or with "npx crewroom sign-out"';
    await expectRefusal(service, 'a pilot is signed in', advice);
    await service.client.sessions.signOut();
    expect(await readJson(service, '/api/pilots')).toMatchObject({current: 'maintenance'});
    expect((await use(service, {name: 'first-officer'})).status).toBe(200);
  });

  test('the identity of an embedding program', async () => {
    const {start} = await createMachine();
    const identity = {json: Buffer.from(JSON.stringify(SAMPLE_DOCUMENT)), summary: 'one'};
    const source = {
      origin: {kind: 'sample'},
      current: () => identity,
      onChange: () => () => {},
      [Symbol.asyncDispose]: async () => {},
    } as const;
    const service = await start({}, {openIdentity: async () => source});
    const advice = 'Let the program that embeds the service leave its identity source out';
    await expectRefusal(service, 'the identity has no sample pilots', advice);
  });
});
