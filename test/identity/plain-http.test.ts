import {describe, expect, test} from 'vitest';
import {ADA} from '../support/pilots.ts';
import {createMachine, type Machine, until, writeAirline} from '../support/session-service.ts';

const CREDENTIALS = {username: '1', password: ADA.password};

/** An address of another machine, without https. */
const PLAIN = 'http://air.example/back-end/';

const REFUSED = {code: 'unprotected-back-end', url: PLAIN};

/** Returns a network in which the back end of the machine answers at {@link PLAIN}. */
function networkOf({backEnd}: Machine): typeof fetch {
  return (url, init) => fetch(String(url).replace(PLAIN, backEnd.scriptURL), init);
}

/** Returns the requests that the back end received, such as `POST pilot/login`. */
function requestsOf({backEnd}: Machine): readonly string[] {
  return backEnd.requests.map(({method, path}) => `${method} ${path}`);
}

describe('a back end on another machine, over plain http', () => {
  test('gets no password', async () => {
    const machine = await createMachine();
    const {client} = await machine.start({profile: 'none'}, {fetch: networkOf(machine)});
    await expect(client.sessions.signIn({...CREDENTIALS, scriptURL: PLAIN})).rejects.toMatchObject({failure: REFUSED});
    // The description of the back end is requested without a secret: it may redirect to https.
    expect(requestsOf(machine)).toEqual(['GET ']);
    expect(await client.sessions.status()).toMatchObject({state: 'signed-out'});
  });

  test('gets no password at the address in the file of the airline either', async () => {
    const machine = await createMachine();
    const airline = await writeAirline(machine.directory, PLAIN);
    const {client} = await machine.start({airline}, {fetch: networkOf(machine)});
    await expect(client.sessions.signIn(CREDENTIALS)).rejects.toMatchObject({failure: REFUSED});
    expect(requestsOf(machine)).toEqual(['GET ']);
  });

  test('gets both with --allow-plain-http, and the log has a warning without them', async () => {
    const machine = await createMachine();
    const {client} = await machine.start({profile: 'none', allowPlainHttp: true}, {fetch: networkOf(machine)});
    expect(await client.sessions.signIn({...CREDENTIALS, scriptURL: PLAIN})).toMatchObject({
      state: 'signed-in',
      scriptURL: PLAIN,
    });
    expect(requestsOf(machine)).toEqual(['GET ', 'POST pilot/login']);
    const warnings = machine.log.lines.filter(line => line.includes('over http'));
    expect(warnings).toEqual([
      `info signed in over http: others on the network can read the password and the session {"scriptURL":"${PLAIN}"}`,
    ]);
  });

  test('gets no session that was kept when it was allowed: the identity is stale, with the reason', async () => {
    const machine = await createMachine();
    const fetch = networkOf(machine);
    const first = await machine.start({allowPlainHttp: true}, {fetch});
    await first.client.sessions.signIn({...CREDENTIALS, scriptURL: PLAIN});
    await first.stop();
    machine.backEnd.forgetRequests();

    const {client} = await machine.start({}, {fetch});
    const {problem, ...status} = await until(client, ({problem}) => problem !== undefined);
    expect(status).toMatchObject({state: 'signed-in', stale: true});
    expect(problem).toMatchObject({failure: REFUSED});
    expect(requestsOf(machine)).toEqual([]);
  });
});
