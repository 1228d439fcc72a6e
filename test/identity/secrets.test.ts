import {once} from 'node:events';
import {readdir, readFile} from 'node:fs/promises';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {createMachine, type Machine, type Service} from '../cli/crewroom.ts';
import {jsonAnswer} from '../support/back-end-server.ts';
import {startPhpVms5} from '../support/back-ends.ts';
import {ADA} from '../support/pilots.ts';
import {expectNone, readProcesses} from '../support/secrets.ts';
import {using, writeAirline} from '../support/session-service.ts';

const machine = await createMachine();

/** Starts a D-Bus that accepts connections and never answers, so that the keychain process can be inspected. */
async function startSilentBus({home}: Machine): Promise<string> {
  const path = join(home, 'bus');
  const connections = new Set<{destroy(): void}>();
  const server = createServer(connection => void connections.add(connection)).listen(path);
  await once(server, 'listening');
  onTestFinished(() => {
    for (const connection of connections) connection.destroy();
    server.close();
  });
  return `unix:path=${path}`;
}

async function post({url}: Service, body: string): Promise<{readonly status: number; readonly text: string}> {
  const response = await fetch(`${url}/api/session`, {method: 'POST', body});
  return {status: response.status, text: await response.text()};
}

async function sessionOf({url}: Service): Promise<string> {
  const identity = (await (await fetch(`${url}/api/identity`)).json()) as {
    readonly va_user: {readonly session: string};
  };
  return identity.va_user.session;
}

describe.skipIf(process.platform !== 'linux')('neither password nor session (A15)', () => {
  test('is in anything that the process wrote or that others can see of it', async () => {
    const backEnd = await using(startPhpVms5({nowMs: Date.now}));
    const airline = await writeAirline(machine.home, backEnd.scriptURL);
    const environment = {DBUS_SESSION_BUS_ADDRESS: await startSilentBus(machine)};
    const args = ['--airline', airline, '--data-dir', join(machine.home, 'crew'), '--log-level', 'debug'];
    // One of the files that are looked through below.
    args.push('--log-file', join(machine.home, 'crewroom.log'));
    const wrong = 'a wrong pass&word "1"';
    const secrets = new Set([ADA.password, wrong]);
    const answers: string[] = [];
    const bodyOf = (password: string): string => JSON.stringify({username: '1', password});

    const first = await machine.start(args, {environment});
    answers.push((await post(first, bodyOf(wrong))).text);
    answers.push((await post(first, `{"username":"1","password":"${ADA.password}`)).text);
    // The back end repeats the request.
    backEnd.failWith(
      jsonAnswer(500, {message: `Cannot bind ${ADA.password} as ${JSON.stringify(bodyOf(ADA.password))}`}),
    );
    answers.push((await post(first, bodyOf(ADA.password))).text);
    backEnd.failWith(undefined);
    const signingIn = post(first, bodyOf(ADA.password));
    const seen = new Map<number, string>();
    let isDone = false;
    void signingIn.finally(() => {
      isDone = true;
    });
    while (!isDone) for (const [id, text] of await readProcesses(first.child.pid ?? 0)) seen.set(id, text);
    const signedIn = await signingIn;
    expect(signedIn.status).toBe(200);
    // The keychain process was inspected, too.
    expect(seen.size).toBeGreaterThanOrEqual(2);
    answers.push(signedIn.text);
    secrets.add(await sessionOf(first));
    answers.push(await (await fetch(`${first.url}/api/session`)).text());
    const finished = [await first.stop()];

    const second = await machine.start(args, {environment});
    // The session is resumed and replaced.
    while ((await (await fetch(`${second.url}/api/session`)).text()).includes('"stale":true'))
      await new Promise(resolve => setTimeout(resolve, 10));
    secrets.add(await sessionOf(second));
    for (const [id, text] of await readProcesses(second.child.pid ?? 0)) seen.set(id, text);
    backEnd.endSessions();
    // Kill the service, so that the files are those after a crash.
    second.child.kill('SIGABRT');
    finished.push(await second.finished);

    const known = [...secrets];
    for (const {stdout, stderr} of finished) expectNone(stdout + stderr, known, 'the output');
    for (const answer of answers) expectNone(answer, known, 'an answer');
    for (const text of seen.values()) expectNone(text, known, 'arguments or environment');
    for (const {path, query} of backEnd.requests) expectNone(`${path}?${query}`, known, 'an address');
    const files = await readdir(machine.home, {recursive: true, withFileTypes: true});
    for (const file of files.filter(each => each.isFile())) {
      const text = await readFile(join(file.parentPath, file.name), 'latin1');
      // Only the session may be in a file, and only in one.
      expectNone(text, file.name === 'session.json' ? [ADA.password, wrong] : known, file.name);
    }
    expect(await readFile(join(machine.home, 'crewroom.log'), 'utf8')).toContain('"message":"signed in"');
    const kept = await readFile(join(machine.home, 'crew', 'session.json'), 'utf8');
    expect(known.some(secret => kept.includes(secret))).toBe(true);
  });
});
