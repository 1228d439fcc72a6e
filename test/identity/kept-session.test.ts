import {once} from 'node:events';
import {appendFile, chmod, lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile} from 'node:fs/promises';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {AppError} from '../../src/core/failures/app-error.ts';
import {openKeychain} from '../../src/service/identity/keychain/keychain.ts';
import {ADA} from '../support/pilots.ts';
import {makeTemporaryDirectory} from '../support/service.ts';
import {createMachine, type Machine, until, using, writeAirline} from '../support/session-service.ts';

const CREDENTIALS = {username: '1', password: ADA.password};

/** Returns a machine on which a pilot signed in; the service is stopped. */
async function signInOnce(machine: Machine): Promise<{readonly airline: string; readonly session: string}> {
  const airline = await writeAirline(machine.directory, machine.backEnd.scriptURL);
  const {client, stop} = await machine.start({airline});
  await client.sessions.signIn(CREDENTIALS);
  const {session} = (await client.identity()).document.va_user;
  await stop();
  machine.backEnd.forgetRequests();
  return {airline, session};
}

const fileOf = ({dataDir}: Machine): string => join(dataDir, 'session.json');

describe('a kept session', () => {
  test('is in the keychain, and the rest in a file that only the owner can read', async () => {
    const machine = await createMachine();
    const {session} = await signInOnce(machine);
    expect([...machine.keychain.secrets]).toEqual([[`session ${machine.dataDir}`, session]]);
    const text = await readFile(fileOf(machine), 'utf8');
    expect(text).toContain('VMS0001');
    for (const secret of [session, ADA.password]) expect(text).not.toContain(secret);
    expect((await stat(fileOf(machine))).mode & 0o777).toBe(0o600);
    expect((await stat(machine.dataDir)).mode & 0o777).toBe(0o700);
    expect(await readdir(machine.dataDir)).not.toContain('session.json.new');
  });

  test('is in the file without a keychain, and moves once there is one', async () => {
    const machine = await createMachine();
    machine.keychain.lock();
    const {airline, session} = await signInOnce(machine);
    expect(await readFile(fileOf(machine), 'utf8')).toContain(session);
    expect((await stat(fileOf(machine))).mode & 0o777).toBe(0o600);
    expect(await readFile(fileOf(machine), 'utf8')).not.toContain(ADA.password);

    machine.keychain.unlock();
    const {client} = await machine.start({airline});
    expect((await client.identity()).document.va_user.pilotID).toBe('VMS0001');
    await until(client, ({stale, kept}) => !stale && kept === 'keychain');
    expect(machine.keychain.secrets.size).toBe(1);
  });

  test('is in the file without a keychain, which is logged once', async () => {
    const machine = await createMachine();
    machine.keychain.lock();
    const airline = await writeAirline(machine.directory, machine.backEnd.scriptURL);
    const {client} = await machine.start({airline});
    for (let count = 0; count < 3; count++)
      expect(await client.sessions.signIn(CREDENTIALS)).toMatchObject({kept: 'file'});
    expect(machine.log.lines.filter(line => line.startsWith('info keychain not used'))).toHaveLength(1);
  });

  test('leaves no secret of the pilot before in the keychain if that cannot take the new one', async () => {
    const machine = await createMachine();
    const airline = await writeAirline(machine.directory, machine.backEnd.scriptURL);
    const {secrets} = machine.keychain;
    const set: Machine['keychain']['set'] = (account, secret) =>
      secrets.size === 0
        ? machine.keychain.set(account, secret)
        : Promise.reject(new AppError({code: 'unavailable', what: 'keychain', problem: 'it is read-only'}));
    const {client} = await machine.start({airline}, {keychain: {...machine.keychain, set}});
    expect(await client.sessions.signIn(CREDENTIALS)).toMatchObject({kept: 'keychain'});
    expect(secrets.size).toBe(1);
    expect(await client.sessions.signIn(CREDENTIALS)).toMatchObject({kept: 'file'});
    expect([...secrets]).toEqual([]);
  });

  for (const [what, leave] of [
    ['a file that all users can read', (path: string) => writeFile(path, 'left', {mode: 0o644})],
    ['a link', (path: string) => symlink('../elsewhere', path)],
  ] as const) {
    test(`is in a file of its own if ${what} was left where it is written first`, async () => {
      const machine = await createMachine();
      machine.keychain.lock();
      await mkdir(machine.dataDir, {recursive: true, mode: 0o700});
      await writeFile(join(machine.directory, 'elsewhere'), 'of the user');
      await leave(`${fileOf(machine)}.new`);
      const {session} = await signInOnce(machine);
      expect(await readFile(fileOf(machine), 'utf8')).toContain(session);
      const {mode} = await lstat(fileOf(machine));
      expect(mode & 0o777).toBe(0o600);
      expect(await readFile(join(machine.directory, 'elsewhere'), 'utf8')).toBe('of the user');
    });
  }

  test('loses the permissions of other users', async () => {
    const machine = await createMachine();
    machine.keychain.lock();
    const {airline} = await signInOnce(machine);
    await chmod(fileOf(machine), 0o644);
    await machine.backEnd.stop();
    const {client} = await machine.start({airline});
    expect((await stat(fileOf(machine))).mode & 0o777).toBe(0o600);
    expect(await client.sessions.status()).toMatchObject({state: 'signed-in', stale: true, kept: 'file'});
  });

  test('waits in the background for a keychain that is locked at the start', async () => {
    const machine = await createMachine();
    const {airline} = await signInOnce(machine);
    machine.keychain.lock();
    const {client, changes} = await machine.start({airline});
    const locked = await until(client, ({problem}) => problem !== undefined);
    expect(locked).toMatchObject({
      state: 'signed-out',
      source: 'back-end',
      kept: 'keychain',
      problem: {failure: {code: 'unavailable', what: 'keychain'}},
    });
    await expect(client.identity()).rejects.toMatchObject({failure: {code: 'no-identity'}});
    expect(machine.backEnd.requests).toEqual([]);
    machine.keychain.unlock();
    machine.clock.advance(1000);
    const session = await until(client, ({state, stale}) => state === 'signed-in' && !stale);
    expect(session).toMatchObject({changedAtMs: Date.UTC(2026, 2, 1, 12)});
    expect(changes()).toBeGreaterThanOrEqual(1);
    expect(machine.backEnd.requests.map(({path}) => path)).toEqual(['pilot/resume']);
  });

  test('does not delay the start when the keychain never answers', async () => {
    const machine = await createMachine();
    const {airline} = await signInOnce(machine);
    const keychain = {...machine.keychain, get: () => new Promise<undefined>(() => {})};
    const {client, stop} = await machine.start({airline}, {keychain});
    await expect(client.identity()).rejects.toMatchObject({failure: {code: 'no-identity'}});
    // No other identity is served silently, and signing in again works.
    expect(await client.sessions.status()).toMatchObject({state: 'signed-out', kept: 'keychain'});
    expect(await client.sessions.signIn(CREDENTIALS)).toMatchObject({state: 'signed-in'});
    await stop();
  });

  test('is over when the keychain has lost it', async () => {
    const machine = await createMachine();
    const {airline} = await signInOnce(machine);
    machine.keychain.secrets.clear();
    const {client} = await machine.start({airline});
    await until(client, ({kept}) => kept === undefined);
    expect(await client.sessions.status()).toMatchObject({state: 'signed-out'});
  });

  for (const [name, spoil] of [
    ['is no JSON', (file: string) => writeFile(file, '{"format":1,')],
    ['is larger than any', (file: string) => appendFile(file, ' '.repeat(8 * 1024 * 1024))],
    ['is of another version', (file: string) => writeFile(file, '{"format":2,"state":"signed-in"}')],
    [
      'lacks members',
      (file: string) => writeFile(file, '{"format":1,"state":"signed-in","scriptURL":"x","sinceMs":1}'),
    ],
    ...[
      {name: 'names no back end', members: {scriptURL: 'nonsense'}},
      {name: 'names an invalid back end', members: {scriptURL: 'javascript:alert(1)'}},
      {name: 'has a time that no date can represent', members: {sinceMs: Number.MAX_SAFE_INTEGER}},
      {name: 'ends at a time that no date can represent', members: {expiresAtMs: Number.MAX_SAFE_INTEGER}},
      {name: 'contains something else than a pilot', members: {pilot: '5'}},
      {name: 'contains half a pilot', members: {pilot: '{"firstName":'}},
    ].map(
      ({name, members}) =>
        [
          name,
          async (file: string) =>
            writeFile(file, JSON.stringify({...JSON.parse(await readFile(file, 'utf8')), ...members})),
        ] as const,
    ),
    [
      'is a link',
      async (file: string) => {
        await rm(file);
        await symlink('/etc/passwd', file);
      },
    ],
  ] as const) {
    test(`is not used when its file ${name}, and the service starts anyway`, async () => {
      const machine = await createMachine();
      const {airline} = await signInOnce(machine);
      await spoil(fileOf(machine));
      const {client} = await machine.start({airline});
      expect(await client.sessions.status()).toMatchObject({state: 'signed-out'});
      expect(machine.log.lines.filter(line => line.startsWith('error kept session not used'))).toHaveLength(1);
      expect(await client.sessions.signIn(CREDENTIALS)).toMatchObject({state: 'signed-in'});
    });
  }

  test('belongs to one data directory', async () => {
    const machine = await createMachine();
    const {airline} = await signInOnce(machine);
    const {client} = await machine.start({airline, dataDir: join(machine.directory, 'other')});
    expect(await client.sessions.status()).toMatchObject({state: 'signed-out'});
  });

  test('is removed by signing out, even if the keychain is locked', async () => {
    const machine = await createMachine();
    const {airline} = await signInOnce(machine);
    const {client, stop} = await machine.start({airline});
    await until(client, ({stale}) => !stale);
    machine.keychain.lock();
    await client.sessions.signOut();
    expect(await readdir(machine.dataDir)).not.toContain('session.json');
    expect(machine.log.lines.filter(line => line.includes('not removed from the keychain'))).toHaveLength(1);
    await stop();
    machine.keychain.unlock();
    const {client: again} = await machine.start({airline});
    expect(await again.sessions.status()).toMatchObject({state: 'signed-out'});
  });

  for (const options of [{keepSession: false}, {ephemeral: true}]) {
    test(`is in memory with ${JSON.stringify(options)}`, async () => {
      const machine = await createMachine();
      const airline = await writeAirline(machine.directory, machine.backEnd.scriptURL);
      const first = await machine.start({airline, ...options});
      expect(await first.client.sessions.signIn(CREDENTIALS)).toMatchObject({kept: 'memory'});
      await first.stop();
      expect(machine.keychain.secrets.size).toBe(0);
      const {client} = await machine.start({airline, ...options});
      expect(await client.sessions.status()).toMatchObject({state: 'signed-out'});
    });
  }

  test('is kept if the service stops while resuming it', async () => {
    const machine = await createMachine();
    const {airline} = await signInOnce(machine);
    const {stop} = await machine.start({airline});
    await stop();
    expect(machine.backEnd.requests.map(({path}) => path)).toEqual(['pilot/resume']);
    const {client} = await machine.start({airline});
    await until(client, ({state, stale}) => state === 'signed-in' && !stale);
  });
});

describe('the keychain of the system', () => {
  const account = 'crewroom test';

  async function problemOf(
    environment: Readonly<Record<string, string | undefined>>,
    timeoutMs: number,
  ): Promise<string> {
    const keychain = openKeychain({environment, timeoutMs});
    const calls = [keychain.get(account), keychain.set(account, 's3cret'), keychain.delete(account)];
    const errors = await Promise.all(calls.map(call => call.catch(error => error)));
    for (const error of errors) {
      expect(error).toBeInstanceOf(AppError);
      expect(error.failure.code).toBe('unavailable');
      expect(error.message).not.toContain('s3cret');
    }
    return errors[0].failure.problem;
  }

  test.skipIf(process.platform !== 'linux')(
    'is not the keyring of the kernel where there is no Secret Service',
    async () => {
      const {path} = await using(makeTemporaryDirectory());
      const address = `unix:path=${join(path, 'missing')}`;
      expect(await problemOf({...process.env, DBUS_SESSION_BUS_ADDRESS: address}, 60_000)).toBe(
        'no Secret Service answers in this session',
      );
    },
  );

  test('is stopped when its answer has no end', async () => {
    const endless = encodeURIComponent('import {writeSync} from "node:fs"; for (;;) writeSync(1, "[".repeat(4096))');
    const environment = {NODE_OPTIONS: `--import=data:text/javascript,${endless}`};
    const keychain = openKeychain({environment, timeoutMs: 60_000});
    await expect(keychain.get('a')).rejects.toMatchObject({
      failure: {code: 'unavailable', what: 'keychain', problem: 'its answer is larger than 65536 characters'},
    });
  });

  test('is unavailable if its process cannot be started', async () => {
    // Node throws this at once.
    expect(await problemOf({BROKEN: 'a\0b'}, 60_000)).toContain('BROKEN');
  });

  test.skipIf(process.platform !== 'linux')('is not waited for when it does not answer', async () => {
    const {path} = await using(makeTemporaryDirectory());
    const socket = join(path, 'bus');
    const connections = new Set<{destroy(): void}>();
    const server = createServer(connection => void connections.add(connection)).listen(socket);
    await once(server, 'listening');
    onTestFinished(() => {
      for (const connection of connections) connection.destroy();
      server.close();
    });
    const environment = {...process.env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}`};
    expect(await problemOf(environment, 2000)).toBe('it does not answer within 2000 ms; it may be locked');
    const controller = new AbortController();
    const call = openKeychain({environment}).get(account, {signal: controller.signal});
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });
});
