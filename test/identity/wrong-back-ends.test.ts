import {once} from 'node:events';
import {createServer as createTlsServer} from 'node:https';
import {expect, onTestFinished, test} from 'vitest';
import {walkBackEnd} from '../../src/cli/doctor/backend/walk.ts';
import type {Finding} from '../../src/cli/doctor/finding.ts';
import {AppError} from '../../src/core/failures/app-error.ts';
import {adviseOnError} from '../../src/core/failures/facts.ts';
import {type HostileBackEnd, type Hostility, startHostileBackEnd} from '../support/hostile-back-end.ts';
import {ADA} from '../support/pilots.ts';
import {createMachine, type Machine, until, using} from '../support/session-service.ts';

const CREDENTIALS = {username: '1', password: ADA.password};
const DAY_MS = 24 * 60 * 60 * 1000;

/** A problem and its advice. */
interface Advice {
  readonly said: string;
  readonly advice: string;
}

/** Signs in at a faulty back end. */
async function signIn({scriptURL}: HostileBackEnd, machine: Machine): Promise<Advice> {
  const {client} = await machine.start({profile: 'none', ephemeral: true});
  const error: unknown = await client.sessions.signIn({...CREDENTIALS, scriptURL}).catch(reason => reason);
  if (!(error instanceof AppError)) throw new Error(`It should have failed: ${error}`);
  return {said: error.message, advice: adviseOnError(error)};
}

/** Signs in, makes the back end faulty, and returns the problem when the session is resumed. */
async function readSessionProblem(backEnd: HostileBackEnd, machine: Machine, spoil: Spoiling): Promise<Advice> {
  const {client} = await machine.start({profile: 'none', ephemeral: true});
  await client.sessions.signIn({...CREDENTIALS, scriptURL: backEnd.scriptURL});
  await spoil(backEnd);
  machine.clock.advance(6.5 * DAY_MS);
  const {problem} = await until(client, session => session.problem !== undefined);
  return {said: problem?.message ?? '', advice: problem === undefined ? '' : adviseOnError(problem)};
}

/** Returns the first problem that the doctor finds at a back end. */
async function findProblem({scriptURL}: HostileBackEnd, machine: Machine): Promise<Advice> {
  const deps = {nowMs: machine.clock.nowMs, elapsedMs: () => performance.now(), fetch, pause: async () => {}};
  const findings: Finding[] = [];
  for await (const step of walkBackEnd({scriptURL, credentials: CREDENTIALS}, deps)) findings.push(...step);
  const {detail = '', fix = ''} = findings.find(({level}) => level === 'problem') ?? {};
  return {said: detail, advice: fix};
}

/** Makes a back end faulty. */
type Spoiling = (backEnd: HostileBackEnd) => Promise<void> | void;

function toHostility(hostility: Hostility): Spoiling {
  return backEnd => backEnd.misbehave(hostility);
}

/** Replaces the back end by a server for https, without a certificate: the test sends plain HTTP. */
async function toTls(backEnd: HostileBackEnd): Promise<void> {
  const {port} = new URL(backEnd.scriptURL);
  await backEnd.stop();
  const server = createTlsServer({}).listen(Number(port), '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
}

for (const {name, spoil, said, advice} of [
  {
    name: 'PHP that prints a warning',
    spoil: toHostility('PHP warning'),
    said: /PHP prints a message into the answer: "Warning: Undefined array key .*PilotData\.class\.php on line 104/,
    advice:
      /^The address is right, but PHP fails there: .*display_errors.*core\/codon\.config\.php.*php\.ini has no effect/,
  },
  {
    name: 'PHP that prints a deprecation without HTML',
    spoil: toHostility('PHP warning in plain text'),
    said: /PHP prints a message into the answer: "Deprecated: .*Codon\.php on line 7/,
    advice: /^The address is right, but PHP fails there/,
  },
  {
    name: 'text before the JSON',
    spoil: toHostility('text before JSON'),
    said: /there is other text before its JSON: \\?"debug: here/,
    advice: /^The address is right: .*keep the PHP files .* from printing/,
  },
  {
    name: 'ModSecurity',
    spoil: toHostility('firewall'),
    said: /a firewall in front of it \(ModSecurity\) refuses the request/,
    advice: /^The address may be right: .*host.* has to let requests of programs/,
  },
  {
    name: 'the challenge page of Cloudflare',
    spoil: toHostility('challenge'),
    said: /Cloudflare in front of it asks for a browser/,
    advice: /^The address may be right: .*a rule that skips challenges/,
  },
  {
    name: 'a redirect to a login page',
    spoil: toHostility('login page'),
    said: /it redirects to a login page/,
    advice: /^The airline has to let programs reach the path of its back end/,
  },
  {
    name: 'too many requests',
    spoil: toHostility('too many requests'),
    said: /it accepts no more requests for now, and can be called again in 30 seconds/,
    advice: /^Wait, then try again/,
  },
  {
    name: 'maintenance',
    spoil: toHostility('maintenance'),
    said: /it is closed for maintenance, or overloaded/,
    advice: /^Try again later; .*artisan up/,
  },
  {
    name: 'an empty 500, as for an unknown or wrongly cased name',
    spoil: toHostility('empty 500'),
    said: /its answer is empty/,
    advice: /^Check the spelling of the address, upper and lower case too/,
  },
  {
    name: 'http:// on a port for https, behind nginx',
    spoil: toHostility('https port'),
    said: /its port is for https, and the address begins with http:\/\//,
    advice: /^Begin the address with https:\/\//,
  },
  {
    name: 'http:// on a port for https, which ends the connection',
    spoil: toTls,
    said: /127\.0\.0\.1:\d+ ended the connection without an answer/,
    advice: /^If that port is for https, begin the address with https:\/\//,
  },
] as readonly {name: string; spoil: Spoiling; said: RegExp; advice: RegExp}[]) {
  test(`${name} has the same problem and advice for the sign-in, the session and the doctor`, async () => {
    const machine = await createMachine();
    const open = (): Promise<HostileBackEnd> => using(startHostileBackEnd({nowMs: machine.clock.nowMs}));
    const [first, second] = [await open(), await open()];
    const inSession = await readSessionProblem(first, machine, spoil);
    await spoil(second);
    const atSignIn = await signIn(second, machine);
    const atDoctor = await findProblem(second, machine);
    for (const words of [inSession, atSignIn, atDoctor]) {
      expect(words.said).toMatch(said);
      expect(words.advice).toMatch(advice);
    }
    expect(new Set([inSession.advice, atSignIn.advice, atDoctor.advice]).size).toBe(1);
  });
}

test('https:// on a port for http has the same problem and advice for the sign-in and the doctor', async () => {
  const machine = await createMachine();
  const backEnd = await using(startHostileBackEnd({nowMs: machine.clock.nowMs}));
  const wrong = {...backEnd, scriptURL: backEnd.scriptURL.replace('http:', 'https:')} as HostileBackEnd;
  for (const words of [await signIn(wrong, machine), await findProblem(wrong, machine)]) {
    expect(words.said).toMatch(/127\.0\.0\.1:\d+ does not speak TLS/);
    expect(words.advice).toMatch(/^Check the port in the address, or turn on https for the site; .* http:\/\//);
  }
});
