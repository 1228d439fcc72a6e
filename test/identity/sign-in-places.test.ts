import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {SILENT_LOG} from '../../src/core/domain/log.ts';
import {SAMPLE_DOCUMENT} from '../../src/service/identity/sample-document.ts';
import {jsonAnswer, startBackEndServer} from '../support/back-end-server.ts';
import {startPhpVms5, startPhpVms7} from '../support/back-ends.ts';
import {startHostileBackEnd} from '../support/hostile-back-end.ts';
import {ADA} from '../support/pilots.ts';
import {createMachine, type Machine, until, using, writeAirline} from '../support/session-service.ts';

const CREDENTIALS = {username: '1', password: ADA.password};

/** Writes a profile whose airline has this address, with a number that JavaScript cannot represent. */
async function writeProfile({directory}: Machine, scriptURL: string, firstName = 'Ada'): Promise<string> {
  const {vendor_design_user: account, va_user: pilot, airline} = SAMPLE_DOCUMENT;
  const document = {
    tfdi_design_user: account,
    extra: '@',
    va_user: {...pilot, firstName},
    airline: {...airline, settings: {...airline.settings, scriptURL}},
  };
  const file = join(directory, 'profile.json');
  await writeFile(
    file,
    JSON.stringify(document).replace('"@"', '9007199254740993').replace('"downloads":128', '"downloads":128.0'),
  );
  return file;
}

describe('with a profile', () => {
  test('its pilot is served until another one signs in, and again after signing out', async () => {
    const machine = await createMachine();
    const {client, changes} = await machine.start({profile: await writeProfile(machine, machine.backEnd.scriptURL)});
    expect(await client.sessions.status()).toMatchObject({state: 'signed-in', source: 'profile'});
    const before = (await client.identity()).text;

    expect(await client.sessions.signIn(CREDENTIALS)).toMatchObject({state: 'signed-in', source: 'back-end'});
    const {document, text} = await client.identity();
    expect(document.va_user.pilotID).toBe('VMS0001');
    expect(document).toMatchObject({
      tfdi_design_user: SAMPLE_DOCUMENT.vendor_design_user,
      airline: {settings: {airlineName: 'Crewroom Air', scriptVersion: '1.0.3', scriptHandler: 'phpvms5'}},
    });
    // The text of every part is unchanged.
    expect(text).toContain('"extra":9007199254740993');
    expect(text).toContain('"downloads":128.0');
    expect((await client.readiness()).identity.summary).toBe('Ada Quill (VMS0001), Crewroom Air');

    expect(await client.sessions.signOut()).toMatchObject({state: 'signed-in', source: 'profile'});
    expect((await client.identity()).text).toBe(before);
    expect(changes()).toBe(2);
  });

  test('a change of its airline applies to the signed-in pilot, and another back end ends the session', async () => {
    const machine = await createMachine();
    const {backEnd} = machine;
    const {client, crewroom} = await machine.start({profile: await writeProfile(machine, backEnd.scriptURL)});
    await client.sessions.signIn(CREDENTIALS);
    const changed = (): Promise<void> => new Promise(resolve => crewroom.identitySource.onChange(resolve));

    let change = changed();
    await writeFile(
      join(machine.directory, 'profile.json'),
      JSON.stringify({
        ...SAMPLE_DOCUMENT,
        airline: {
          ...SAMPLE_DOCUMENT.airline,
          settings: {...SAMPLE_DOCUMENT.airline.settings, airlineName: 'Renamed', scriptURL: backEnd.scriptURL},
        },
      }),
    );
    await change;
    expect((await client.identity()).document).toMatchObject({
      va_user: {pilotID: 'VMS0001'},
      airline: {settings: {airlineName: 'Renamed', scriptHandler: 'phpvms5'}},
    });

    change = changed();
    await writeProfile(machine, 'https://elsewhere.example/');
    await change;
    expect(await client.sessions.status()).toMatchObject({state: 'signed-in', source: 'profile'});
    expect((await client.identity()).document.va_user.session).toBe(SAMPLE_DOCUMENT.va_user.session);
    await until(client, () => machine.keychain.secrets.size === 0);
  });

  test('a kept session of another back end is not used', async () => {
    const machine = await createMachine();
    const first = await machine.start({profile: await writeProfile(machine, machine.backEnd.scriptURL)});
    await first.client.sessions.signIn(CREDENTIALS);
    await first.stop();
    machine.backEnd.forgetRequests();
    const other = await using(startPhpVms7({nowMs: machine.clock.nowMs}));
    const {client} = await machine.start({profile: await writeProfile(machine, other.scriptURL)});
    expect(await client.sessions.status()).toMatchObject({state: 'signed-in', source: 'profile'});
    expect(other.requests).toEqual([]);
    expect(machine.backEnd.requests).toEqual([]);
  });
});

describe('without an airline', () => {
  test('a program names the back end, which is used until signing out', async () => {
    const machine = await createMachine();
    const {client, url} = await machine.start();
    const {scriptURL} = machine.backEnd;
    expect(await client.sessions.status()).toMatchObject({state: 'signed-in', source: 'sample'});
    await expect(client.sessions.signIn(CREDENTIALS)).rejects.toMatchObject({
      failure: {
        code: 'invalid-body',
        what: 'sign-in',
        problems: [{path: '$.scriptURL', problem: 'is missing, and no airline is configured'}],
      },
    });
    // The service adds the slash at the end.
    await client.sessions.signIn({...CREDENTIALS, scriptURL: scriptURL.slice(0, -1)});
    const {document} = await client.identity();
    expect(document).toMatchObject({
      va_user: {pilotID: 'VMS0001'},
      airline: {settings: {scriptURL, airlineName: '127.0.0.1'}},
    });
    // The sample is not a profile: none of its members are part of a real identity.
    expect(document).not.toHaveProperty('vendor_design_user');
    expect(await client.sessions.signIn(CREDENTIALS)).toMatchObject({scriptURL});
    // A page may use the same back end.
    const headers = {Origin: url};
    const post = (body: unknown): Promise<Response> =>
      fetch(`${url}/api/session`, {method: 'POST', headers, body: JSON.stringify(body)});
    expect((await post(CREDENTIALS)).status).toBe(200);
    expect((await post({...CREDENTIALS, scriptURL})).status).toBe(200);
    expect((await post({...CREDENTIALS, scriptURL: 'http://127.0.0.1:1/'})).status).toBe(422);
    expect(await client.sessions.signOut()).toMatchObject({state: 'signed-in', source: 'sample'});
    expect((await post({...CREDENTIALS, scriptURL})).status).toBe(422);
    expect(await client.sessions.signOut()).toMatchObject({source: 'sample'});
  });

  test('no identity is served with --profile none, before and after', async () => {
    const machine = await createMachine();
    const {client} = await machine.start({profile: 'none'});
    expect(await client.sessions.status()).toMatchObject({state: 'signed-out', source: 'none'});
    await client.sessions.signIn({...CREDENTIALS, scriptURL: machine.backEnd.scriptURL});
    expect((await client.identity()).document.va_user.pilotID).toBe('VMS0001');
    expect(await client.sessions.signOut()).toMatchObject({state: 'signed-out', source: 'none'});
  });
});

describe('a password is not sent elsewhere', () => {
  test('with a configured back end', async () => {
    const machine = await createMachine();
    const other = await using(startPhpVms5({nowMs: machine.clock.nowMs}));
    const airline = await writeAirline(machine.directory, machine.backEnd.scriptURL);
    const {client} = await machine.start({airline});
    await expect(client.sessions.signIn({...CREDENTIALS, scriptURL: other.scriptURL})).rejects.toMatchObject({
      failure: {code: 'invalid-body', what: 'sign-in', problems: [{path: '$.scriptURL'}]},
    });
    expect(other.requests).toEqual([]);
    expect(await client.sessions.signIn({...CREDENTIALS, scriptURL: machine.backEnd.scriptURL})).toMatchObject({
      state: 'signed-in',
    });
  });

  for (const [hostility, code] of [
    ['redirect to https', 'back-end-failed'],
    ['redirect loop', 'back-end-failed'],
    ['permanent redirect', 'back-end-failed'],
    ['html', 'back-end-failed'],
    ['other JSON', 'back-end-failed'],
    ['cut off', 'back-end-failed'],
  ] as const) {
    test(`if the back end answers: ${hostility}`, async () => {
      const machine = await createMachine();
      const backEnd = await using(startHostileBackEnd({nowMs: machine.clock.nowMs}));
      backEnd.misbehave(hostility);
      const {client} = await machine.start({profile: 'none'});
      await expect(client.sessions.signIn({...CREDENTIALS, scriptURL: backEnd.scriptURL})).rejects.toMatchObject({
        failure: {code},
      });
      expect(backEnd.requests.map(({method, path, body}) => [method, path, body])).toEqual([['GET', '', '']]);
      expect(await client.sessions.status()).toMatchObject({state: 'signed-out', source: 'none'});
    });
  }

  test('if the sign-in redirects', async () => {
    const machine = await createMachine();
    const backEnd = await using(startHostileBackEnd({nowMs: machine.clock.nowMs}));
    const other = await using(startBackEndServer(() => jsonAnswer(200, {})));
    backEnd.redirect(() => `${other.scriptURL}pilot/login`, ['pilot/login']);
    const {client} = await machine.start({profile: 'none'});
    await expect(client.sessions.signIn({...CREDENTIALS, scriptURL: backEnd.scriptURL})).rejects.toMatchObject({
      failure: {code: 'back-end-failed', stage: 'redirect', scriptURL: other.scriptURL},
    });
    expect(other.requests).toEqual([]);
  });
});

describe('a failure changes nothing', () => {
  test('and another pilot stays signed in', async () => {
    const machine = await createMachine();
    const airline = await writeAirline(machine.directory, machine.backEnd.scriptURL);
    const {client, changes} = await machine.start({airline});
    const session = await client.sessions.signIn(CREDENTIALS);
    const {text} = await client.identity();
    await expect(client.sessions.signIn({...CREDENTIALS, password: 'wrong'})).rejects.toMatchObject({
      failure: {code: 'wrong-credentials'},
    });
    expect(await client.sessions.status()).toEqual(session);
    expect((await client.identity()).text).toBe(text);
    expect(changes()).toBe(1);
  });

  const REFUSED = [
    {body: '{}', paths: ['$.username', '$.password']},
    {body: '{"username":"","password":" "}', paths: ['$.username', '$.password']},
    {body: '{"username":1,"password":["x"]}', paths: ['$.username', '$.password']},
    {body: '{"username":"1","password":"x","passwort":"y"}', paths: ['$.passwort']},
    {body: '{"username":"1","password":"x","password":"y"}', paths: ['$.password']},
    {body: '{"username":"1","password":"x","scriptURL":null}', paths: ['$.scriptURL']},
    {body: '{"username":"1","password":"x","scriptURL":"nowhere"}', paths: ['$.scriptURL']},
    {body: '{"username":"1","password":"x","scriptURL":"https://a:b@air.example/"}', paths: ['$.scriptURL']},
    {body: `{"username":"1","password":"${'x'.repeat(2000)}"}`, paths: ['$.password']},
    {body: '[]', paths: ['$']},
  ];
  for (const {body, paths} of REFUSED) {
    test(`refuses ${body.slice(0, 60)} without repeating it`, async () => {
      const machine = await createMachine();
      const {url} = await machine.start({profile: 'none'});
      const response = await fetch(`${url}/api/session`, {method: 'POST', body});
      expect(response.status).toBe(422);
      const problem = (await response.json()) as {code: string; problems: {path: string}[]};
      expect(problem.code).toBe('invalid-body');
      expect(problem.problems.map(({path}) => path)).toEqual(paths);
    });
  }

  test('refuses a body that is too large as such', async () => {
    const machine = await createMachine();
    const {url} = await machine.start({profile: 'none'});
    const body = `{"username":"1","password":"${'x'.repeat(20_000)}"}`;
    const response = await fetch(`${url}/api/session`, {method: 'POST', body});
    expect([response.status, await response.json()]).toMatchObject([413, {code: 'too-large', what: 'body'}]);
  });
});

describe('concurrent sign-ins', () => {
  test('an identical one shares the request; another one is refused', async () => {
    const machine = await createMachine();
    const airline = await writeAirline(machine.directory, machine.backEnd.scriptURL);
    let release = (): void => {};
    const isReleased = new Promise<void>(resolve => {
      release = resolve;
    });
    const held: typeof fetch = async (...request) => {
      const answer = await fetch(...request);
      await isReleased;
      return answer;
    };
    const {client} = await machine.start({airline}, {fetch: held});
    const same = [client.sessions.signIn(CREDENTIALS), client.sessions.signIn(CREDENTIALS)];
    await machine.backEnd.received(1);
    await expect(client.sessions.signIn({...CREDENTIALS, password: 'other'})).rejects.toMatchObject({
      failure: {code: 'busy', what: 'sign-in'},
    });
    release();
    const [first, second] = await Promise.all(same);
    expect(second).toEqual(first);
    expect(machine.backEnd.requests.map(({path}) => path)).toEqual(['', 'pilot/login']);
  });

  test('signing out aborts one in progress', async () => {
    const machine = await createMachine();
    const backEnd = await using(startHostileBackEnd({nowMs: machine.clock.nowMs}));
    backEnd.misbehave('hanging', ['pilot/login']);
    const {client} = await machine.start({profile: 'none'});
    const signingIn = client.sessions.signIn({...CREDENTIALS, scriptURL: backEnd.scriptURL});
    const failed = expect(signingIn).rejects.toMatchObject({failure: {code: 'not-offered', what: 'sign-in'}});
    await backEnd.received(2);
    expect(await client.sessions.signOut()).toMatchObject({state: 'signed-out'});
    await failed;
  });

  test('stopping the service aborts one in progress', async () => {
    const machine = await createMachine();
    const backEnd = await using(startHostileBackEnd({nowMs: machine.clock.nowMs}));
    backEnd.misbehave('hanging', ['pilot/login']);
    const {client, stop} = await machine.start({profile: 'none'});
    const failed = expect(client.sessions.signIn({...CREDENTIALS, scriptURL: backEnd.scriptURL})).rejects.toMatchObject(
      {
        failure: {code: 'store-closed'},
      },
    );
    await backEnd.received(2);
    await stop();
    await failed;
  });
});

test('a program that brings its own source has no sign-in', async () => {
  const machine = await createMachine();
  const {SampleSource} = await import('../../src/service/identity/sample-pilots.ts');
  const {client} = await machine.start({}, {openIdentity: async () => new SampleSource(SILENT_LOG)});
  expect(await client.sessions.status()).toMatchObject({state: 'signed-in', source: 'sample'});
  for (const call of [() => client.sessions.signIn(CREDENTIALS), () => client.sessions.signOut()])
    await expect(call()).rejects.toMatchObject({failure: {code: 'not-offered', what: 'sign-in'}});
});
