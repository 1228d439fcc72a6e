import {readdir} from 'node:fs/promises';
import {describe, expect, test} from 'vitest';
import {startPhpVms5, startPhpVms7} from '../support/back-ends.ts';
import {ADA} from '../support/pilots.ts';
import {createMachine, until, writeAirline} from '../support/session-service.ts';

const CREDENTIALS = {username: '1', password: ADA.password};

for (const {name, start} of [
  {name: 'phpvms5', start: startPhpVms5},
  {name: 'phpvms7', start: startPhpVms7},
]) {
  describe(`signing in to ${name}`, () => {
    test('serves the pilot with the configured airline, until signing out', async () => {
      const machine = await createMachine(start);
      const {backEnd} = machine;
      const airline = await writeAirline(machine.directory, backEnd.scriptURL);
      const {client, changes} = await machine.start({airline});
      expect(await client.sessions.status()).toEqual({
        state: 'signed-out',
        source: 'back-end',
        changedAtMs: Date.UTC(2026, 2, 1, 12),
        ...{stale: false, unverifiable: false},
        scriptURL: backEnd.scriptURL,
      });
      await expect(client.identity()).rejects.toMatchObject({failure: {code: 'no-identity'}});

      machine.clock.advance(60_000);
      const session = await client.sessions.signIn(CREDENTIALS);
      expect(session).toEqual({
        state: 'signed-in',
        source: 'back-end',
        changedAtMs: Date.UTC(2026, 2, 1, 12, 1),
        verifiedAtMs: Date.UTC(2026, 2, 1, 12, 1),
        summary: 'Ada Quill (VMS0001), 127.0.0.1',
        ...{stale: false, unverifiable: false},
        scriptURL: backEnd.scriptURL,
        kept: 'keychain',
        ...(name === 'phpvms5' ? {expiresAtMs: Date.UTC(2026, 2, 8, 12, 1)} : {}),
      });
      expect(await client.sessions.status()).toEqual(session);
      const {document} = await client.identity();
      expect(document).toMatchObject({
        va_user: {dbID: 1, pilotID: 'VMS0001', session: expect.any(String)},
        airline: {settings: {scriptURL: backEnd.scriptURL, scriptVersion: '1.0.3', scriptHandler: name}},
      });
      expect(document).not.toHaveProperty('vendor_design_user');
      expect(changes()).toBe(1);
      expect((await client.readiness()).identity).toEqual({
        source: 'back-end',
        signedIn: true,
        state: 'signed-in',
        stale: false,
        summary: 'Ada Quill (VMS0001), 127.0.0.1',
      });

      expect(await client.sessions.signOut()).toMatchObject({state: 'signed-out', source: 'back-end'});
      await expect(client.identity()).rejects.toMatchObject({failure: {code: 'no-identity'}});
      expect(changes()).toBe(2);
      expect(machine.keychain.secrets.size).toBe(0);
      expect(await readdir(machine.dataDir)).not.toContain('session.json');
    });

    test('returns Retry-After of a busy back end', async () => {
      const machine = await createMachine(start);
      const {backEnd} = machine;
      const airline = await writeAirline(machine.directory, backEnd.scriptURL);
      const {url} = await machine.start({airline});
      backEnd.failWith({status: 429, headers: {'Retry-After': '90'}, body: '<html><title>Error 1015</title></html>'});
      const response = await fetch(`${url}/api/session`, {method: 'POST', body: JSON.stringify(CREDENTIALS)});
      expect(response.status).toBe(502);
      expect(response.headers.get('retry-after')).toBe('90');
      const {code, stage, detail, advice, retryAfterSeconds} = (await response.json()) as Record<string, unknown>;
      expect({code, stage, retryAfterSeconds}).toEqual({
        code: 'back-end-failed',
        stage: 'limit',
        retryAfterSeconds: 90,
      });
      expect(detail).toContain(
        'it accepts no more requests for now, and can be called again in 90 seconds (status 429)',
      );
      expect(advice).toMatch(/^Wait, then try again/);
    });

    test('verifies the session for a plugin that was refused, and reports why the session is over', async () => {
      const machine = await createMachine(start);
      const {backEnd} = machine;
      const airline = await writeAirline(machine.directory, backEnd.scriptURL);
      const {client, url, crewroom, changes, stop} = await machine.start({airline});
      const verify = async (): Promise<{readonly status: number; readonly document: Record<string, unknown>}> => {
        const response = await fetch(`${url}/api/session/verify`, {method: 'POST'});
        return {status: response.status, document: (await response.json()) as Record<string, unknown>};
      };
      expect(await verify()).toMatchObject({status: 404, document: {code: 'no-identity'}});
      await client.sessions.signIn(CREDENTIALS);
      backEnd.endSessions();
      expect(await verify()).toMatchObject({status: 202, document: {state: 'signed-in', source: 'back-end'}});
      const expired = await until(client, ({state}) => state === 'expired');
      expect(expired.problem).toMatchObject({
        failure: {code: 'session-unknown', url: `${backEnd.scriptURL}pilot/verify`, message: expect.any(String)},
        message: expect.stringContaining('it says'),
      });
      expect(changes()).toBe(2);
      expect(await verify()).toMatchObject({status: 404, document: {code: 'no-identity'}});
      await expect(crewroom.sessions.verify()).rejects.toMatchObject({failure: {code: 'no-identity'}});
      await stop();
      const {client: again} = await machine.start({airline});
      expect(await again.sessions.status()).toEqual(expired);
    });

    test('resumes after a restart, with one request', async () => {
      const machine = await createMachine(start);
      const {backEnd} = machine;
      const airline = await writeAirline(machine.directory, backEnd.scriptURL);
      const first = await machine.start({airline});
      await first.client.sessions.signIn(CREDENTIALS);
      const {text} = await first.client.identity();
      await first.stop();
      backEnd.forgetRequests();
      machine.clock.advance(60 * 60_000);

      const {client} = await machine.start({airline});
      const session = await until(client, ({state, stale}) => state === 'signed-in' && !stale);
      expect(session).toMatchObject({changedAtMs: Date.UTC(2026, 2, 1, 12), kept: 'keychain'});
      expect(backEnd.requests.map(({path}) => path)).toEqual(['pilot/resume']);
      const resumed = (await client.identity()).text;
      // Sessions of phpVMS 5 are new ones, for a week.
      const isNew = name !== 'phpvms7';
      expect([resumed === text, session.expiresAtMs]).toEqual([!isNew, isNew ? Date.UTC(2026, 2, 8, 13) : undefined]);
    });

    test('is stale while the back end is down, also after a restart, and then fresh again', async () => {
      const machine = await createMachine(start);
      const {backEnd, clock} = machine;
      const airline = await writeAirline(machine.directory, backEnd.scriptURL);
      const first = await machine.start({airline});
      await first.client.sessions.signIn(CREDENTIALS);
      const {text} = await first.client.identity();
      await first.stop();
      await backEnd.stop();

      const {client, url, crewroom} = await machine.start({airline});
      const stale = await until(client, ({problem}) => problem !== undefined);
      expect(stale).toMatchObject({
        state: 'signed-in',
        stale: true,
        problem: {
          failure: {code: 'back-end-failed', stage: 'connection'},
          message: expect.stringContaining('no server listens'),
        },
      });
      expect(await (await fetch(`${url}/api/session`)).json()).toMatchObject({
        stale: true,
        changedAt: '2026-03-01T12:00:00.000Z',
        problem: {
          code: 'back-end-failed',
          stage: 'connection',
          detail: stale.problem?.message,
          advice: expect.any(String),
        },
      });
      expect((await client.identity()).text).toBe(text);
      expect((await client.readiness()).identity).toMatchObject({signedIn: true, stale: true});

      await backEnd.restart();
      clock.advance(1000);
      const fresh = await until(client, ({stale}) => !stale);
      expect(fresh.problem).toBeUndefined();
      expect(crewroom.identitySource.current()?.summary).toBe('Ada Quill (VMS0001), 127.0.0.1');
    });

    test('ends when the back end refuses the session', async () => {
      const machine = await createMachine(start);
      const {backEnd, clock} = machine;
      const airline = await writeAirline(machine.directory, backEnd.scriptURL);
      const {client, changes, stop} = await machine.start({airline});
      await client.sessions.signIn(CREDENTIALS);
      backEnd.endSessions();
      clock.advance(7 * 24 * 60 * 60_000 - 1000);
      const session = await until(client, ({state}) => state === 'expired');
      expect(session).toMatchObject({source: 'back-end', problem: {failure: {code: 'session-unknown'}}});
      await expect(client.identity()).rejects.toMatchObject({
        failure: {code: 'no-identity'},
        message: expect.stringContaining('no pilot is signed in'),
      });
      expect(changes()).toBe(2);
      expect(machine.keychain.secrets.size).toBe(0);
      await stop();
      // After a restart, too, no other identity may be served silently.
      const {client: again} = await machine.start({airline});
      expect(await again.sessions.status()).toMatchObject({state: 'expired', scriptURL: backEnd.scriptURL});
      expect(await again.sessions.signIn(CREDENTIALS)).toMatchObject({state: 'signed-in'});
    });

    test('ends after a restart with a session that ended meanwhile', async () => {
      const machine = await createMachine(start);
      const airline = await writeAirline(machine.directory, machine.backEnd.scriptURL);
      const first = await machine.start({airline});
      await first.client.sessions.signIn(CREDENTIALS);
      await first.stop();
      machine.backEnd.endSessions();
      const {client} = await machine.start({airline});
      await until(client, ({state}) => state === 'expired');
      await expect(client.identity()).rejects.toMatchObject({failure: {code: 'no-identity'}});
    });
  });
}
