import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {readdir, readFile} from 'node:fs/promises';
import {request} from 'node:http';
import {connect, type Socket} from 'node:net';
import {join} from 'node:path';
import {setTimeout as pause} from 'node:timers/promises';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {type ServiceProcess, startService} from '../service-process.ts';

/** A way to occupy the connections of a service. `{{host}}` is replaced by its Host header. */
interface Attack {
  readonly name: string;
  readonly clients: number;
  readonly sent: string;
  /** Bytes of a body that are sent once after `sent`. All clients share the buffer. */
  readonly body?: Uint8Array;
  /** Sent again every half second. */
  readonly drip?: string;
  /** True if the clients end their side at once: then their connections must be released within a second. */
  readonly gone?: boolean;
  /** User whose process resets each connection after `sent`, and {@link RESETS_PER_SECOND} more until the attack ends. */
  readonly resetBy?: number;
}

const IMPORT = 'POST /api/import HTTP/1.1\r\nHost: {{host}}\r\nTransfer-Encoding: chunked\r\n\r\n';
const LIST = 'GET /api/keys?values=true HTTP/1.1\r\nHost: {{host}}\r\n\r\n';
const PUT = 'PUT /api/store/held HTTP/1.1\r\nHost: {{host}}\r\nContent-Length: 1000\r\n';

const GET = 'GET /api/identity HTTP/1.1\r\nHost: {{host}}\r\n\r\n';

/** Connections that are reset in a second after those at the beginning: as many as a page can open. */
const RESETS_PER_SECOND = 60;

/** A user without rights on most systems, whose requests the service refuses. */
const OTHER_USER = 65_534;

/** The largest transaction of a service without settings, without its last byte. */
const UNFINISHED = Buffer.alloc(2 * 1024 * 1024 - 1, ' ');
const TRANSACTION = `POST /api/transactions HTTP/1.1\r\nHost: {{host}}\r\nContent-Length: ${UNFINISHED.length + 1}\r\n\r\n`;

const ATTACKS: readonly Attack[] = [
  {
    name: 'long polls whose clients disconnected',
    clients: 1100,
    sent: 'GET /api/events?prefix=x&waitSeconds=50 HTTP/1.1\r\nHost: {{host}}\r\n\r\n',
    gone: true,
  },
  {name: 'imports that trickle blank lines', clients: 1024, sent: IMPORT, drip: '1\r\n\n\r\n'},
  {name: 'slow bodies', clients: 1500, sent: `${PUT}\r\n"`, drip: ' '},
  {name: 'bodies that are never sent', clients: 1500, sent: `${PUT}Expect: 100-continue\r\n\r\n`},
  // Not as many as connections: the buffers of the operating system would take gigabytes.
  {name: 'bodies without their last byte', clients: 200, sent: TRANSACTION, body: UNFINISHED},
  {name: 'slow heads', clients: 1500, sent: 'GET /livez HTTP/1.1\r\nX: ', drip: 'x'},
  {name: 'exports that are never read', clients: 1100, sent: 'GET /api/export HTTP/1.1\r\nHost: {{host}}\r\n\r\n'},
  {name: 'lists that are never read', clients: 1100, sent: LIST},
  {name: 'pipelined lists', clients: 1100, sent: LIST.repeat(12)},
  {name: 'connections that are reset', clients: 4500, sent: GET, resetBy: process.getuid?.() ?? 0},
  // Only root can run a program of another user.
  ...(process.getuid?.() === 0
    ? [{name: 'connections that another user resets', clients: 4500, sent: GET, resetBy: OTHER_USER}]
    : []),
];

/** Time for which other clients are observed during each attack, in milliseconds; without it, a quarter of that. */
const WATCHED_MS = {quick: 800, standard: 10_000};

const OTHER_CLIENTS = 4;

/** Number of times that other clients are observed before they count as slow. */
const WATCHES = 3;

/** Promised response time, in milliseconds; on a busy machine a multiple of the time without the attack. */
const P99_MS_MAX = 250;
const P99_FACTOR = 5;
const REFUSED_SHARE_MAX = 0.01;

/** Maximum memory of the service during all attacks, in bytes: twice what docs/http-api.md names. */
const MEMORY_BYTES_MAX = 1024 * 1024 * 1024;

/**
 * Maximum time until connections of disconnected waiting clients are released, in milliseconds: one second on an idle
 * machine.
 */
const GONE_MS_MAX = 10_000;

/** Maximum time until an attack that is over has left no connection: requests in the system's queue come first. */
const OVER_MS_MAX = 60_000;

/** A18: clients that occupy connections without using them. */
export const HOLD_PLACES: Scenario = {
  id: 'A18',
  name: 'While clients occupy every connection that they can get, other clients are answered',
  rounds: {quick: 1, standard: 3},
  findMissing: async () => (process.platform === 'linux' ? undefined : 'Linux, for /proc'),
  run: async context => {
    for (let round = 1; round <= context.rounds; round++) {
      const service = await startService({dataDir: join(context.directory, `data-${round}`), signal: context.signal});
      await fillStore(service);
      for (const attack of ATTACKS) {
        context.report(`round ${round} of ${context.rounds}, ${attack.name}`);
        await runAttack(attack, service, context);
      }
      await service.stop();
      context.count('rounds');
    }
  },
};

/** More bytes than the buffers between a service and a client that does not read can hold. */
async function fillStore({url}: ServiceProcess): Promise<void> {
  const body = `"${'x'.repeat(1_000_000)}"`;
  for (let index = 0; index < 12; index++) await fetch(`${url}/api/store/filler-${index}`, {method: 'PUT', body});
}

async function runAttack(attack: Attack, service: ServiceProcess, {quick, count}: ScenarioContext): Promise<void> {
  const watchedMs = quick ? WATCHED_MS.quick : WATCHED_MS.standard;
  const before = await watch(service, watchedMs / 4);
  const openBefore = await countDescriptors(service);
  const sockets: Socket[] = [];
  let resetting: ChildProcess | undefined;
  const timer = setInterval(() => {
    for (const socket of sockets) if (attack.drip !== undefined && socket.writable) socket.write(attack.drip);
  }, 500);
  try {
    if (attack.resetBy === undefined) await hold(attack, service, sockets);
    else resetting = await reset(attack, service, attack.resetBy);
    await waitForBurst(service);
    if (attack.gone === true || resetting !== undefined)
      await assertFreed(service, openBefore, {name: attack.name, freeMsMax: GONE_MS_MAX});
    let under = await watch(service, watchedMs);
    // A pause of the machine passes; what an attack holds, it holds.
    for (let again = 1; again < WATCHES && p99Of(under.tookMs) > p99MsMaxFor(before); again++)
      under = await watch(service, watchedMs);
    check(attack, before, under);
    await assertMemory(attack, service);
    count('attackers', attack.clients);
    count('answers to other clients', under.tookMs.length);
    count('refused', under.refused);
  } finally {
    clearInterval(timer);
    resetting?.kill();
    for (const socket of sockets) socket.destroy();
  }
  await assertFreed(service, openBefore, {name: attack.name, freeMsMax: OVER_MS_MAX});
}

/** Waits until the burst of work that so many requests cause is done: the scenario is about connections that stay. */
async function waitForBurst(service: ServiceProcess): Promise<void> {
  const endMs = performance.now() + OVER_MS_MAX;
  for (let quick = 0; quick < QUICK_ANSWERS && performance.now() < endMs; ) {
    const beganMs = performance.now();
    await statusOf(service, 'GET');
    quick = performance.now() - beganMs < P99_MS_MAX / 5 ? quick + 1 : 0;
  }
}

/** Number of consecutive quick answers that mark the end of a burst. */
const QUICK_ANSWERS = 20;

async function hold({clients, sent, body, gone}: Attack, service: ServiceProcess, sockets: Socket[]): Promise<void> {
  const bytes = sent.replaceAll('{{host}}', hostOf(service));
  for (let index = 0; index < clients; index++) {
    const socket = connect({port: service.port, host: '127.0.0.1', allowHalfOpen: true});
    // A broken connection must disturb the attacker only.
    socket.on('error', () => {});
    socket.pause();
    socket.write(bytes);
    if (body !== undefined) socket.write(body);
    if (gone === true) socket.end();
    sockets.push(socket);
    // One by one: a connection that does not fit into the system's queue is retried only after a second.
    if (socket.connecting) await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
  }
}

/**
 * Starts a process that resets connections. Resolves after those at the beginning, which come all at once; the process goes on with a few
 * each second until it is killed.
 */
async function reset({clients, sent}: Attack, service: ServiceProcess, uid: number): Promise<ChildProcess> {
  const bytes = sent.replaceAll('{{host}}', hostOf(service));
  const code = `
    import {connect} from 'node:net';
    const reset = () => new Promise(resolve => {
      const socket = connect(${service.port}, '127.0.0.1', () => {
        socket.write(${JSON.stringify(bytes)}, () => socket.resetAndDestroy());
      });
      socket.on('error', () => {}).on('close', resolve);
    });
    await Promise.all(Array.from({length: ${clients}}, reset));
    setInterval(reset, ${1000 / RESETS_PER_SECOND});
    console.log('go on');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    ...{uid, cwd: '/', env: {}},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [outcome] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  if (typeof outcome === 'number' || outcome === null) throw new Error(`The process that resets ended (${outcome})`);
  return child;
}

interface Watched {
  readonly tookMs: readonly number[];
  readonly refused: number;
}

/** Sends requests of other clients, each on a new connection. */
async function watch(service: ServiceProcess, watchedMs: number): Promise<Watched> {
  const endMs = performance.now() + watchedMs;
  const tookMs: number[] = [];
  let refused = 0;
  const ask = async (): Promise<void> => {
    for (let index = 0; performance.now() < endMs; index++) {
      const beganMs = performance.now();
      const status = await statusOf(service, index % 4 === 0 ? 'PUT' : 'GET');
      tookMs.push(performance.now() - beganMs);
      if (status !== 200 && status !== 201) refused++;
    }
  };
  await Promise.all(Array.from({length: OTHER_CLIENTS}, ask));
  return {tookMs, refused};
}

/** Status of an answer; 0 if there is none. */
function statusOf({port}: ServiceProcess, method: string): Promise<number> {
  return new Promise(resolve => {
    const path = method === 'PUT' ? '/api/store/other' : '/api/identity';
    const sent = request({port, host: '127.0.0.1', path, method, agent: false}, response => {
      response.resume().on('close', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', () => resolve(0)).end(method === 'PUT' ? '1' : undefined);
  });
}

function check({name}: Attack, before: Watched, under: Watched): void {
  const share = under.refused / under.tookMs.length;
  const p99Ms = p99Of(under.tookMs);
  if (share > REFUSED_SHARE_MAX)
    throw new Error(`${name}: ${under.refused} of ${under.tookMs.length} requests of other clients were refused`);
  const p99MsMax = p99MsMaxFor(before);
  if (p99Ms > p99MsMax)
    throw new Error(`${name}: p99 of other clients is ${p99Ms.toFixed(0)} ms, over ${p99MsMax.toFixed(0)}`);
}

function p99MsMaxFor(before: Watched): number {
  return Math.max(P99_MS_MAX, P99_FACTOR * p99Of(before.tookMs));
}

function p99Of(tookMs: readonly number[]): number {
  return tookMs.toSorted((one, other) => one - other)[Math.floor(tookMs.length * 0.99)] ?? 0;
}

/** Waits until the connections of all attackers are released. @throws {Error} If that takes too long. */
async function assertFreed(
  service: ServiceProcess,
  openBefore: number,
  {name, freeMsMax}: {readonly name: string; readonly freeMsMax: number},
): Promise<void> {
  const endMs = performance.now() + freeMsMax;
  // Tolerance for leftovers of other clients, and for files that the service opens itself.
  const allowed = openBefore + 4 * OTHER_CLIENTS;
  while ((await countDescriptors(service)) > allowed) {
    if (performance.now() > endMs)
      throw new Error(
        `${name}: ${(await countDescriptors(service)) - openBefore} connections are held by disconnected clients`,
      );
    await pause(20);
  }
}

/** Checks the peak of resident memory since the service started. */
async function assertMemory({name}: Attack, {processId}: ServiceProcess): Promise<void> {
  const status = await readFile(`/proc/${processId}/status`, 'utf8');
  const peakBytes = Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1]) * 1024;
  // Also if the line is missing.
  if (!(peakBytes <= MEMORY_BYTES_MAX)) throw new Error(`${name}: the service took ${peakBytes} bytes of memory`);
}

async function countDescriptors({processId}: ServiceProcess): Promise<number> {
  return (await readdir(`/proc/${processId}/fd`)).length;
}

function hostOf({port}: ServiceProcess): string {
  return `localhost:${port}`;
}
