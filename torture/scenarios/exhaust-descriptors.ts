import {execFile} from 'node:child_process';
import {readdir} from 'node:fs/promises';
import {Agent, request} from 'node:http';
import {join} from 'node:path';
import {promisify} from 'node:util';
import type {Random} from '../random.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {type ServiceProcess, startService} from '../service-process.ts';

const run = promisify(execFile);

/** Largest number of files that the service can still open: the first write opens three, one after the other. */
const SPARE_MAX = 4;

/** Requests while no file can be opened. */
const WRITES = 3;
const CALLS = 12;

/** Maximum time of a request, in milliseconds: a connection that the service cannot accept gets no answer. */
const ANSWER_MS_MAX = 1000;

/** Maximum time until new connections are answered again, in milliseconds. */
const RECOVERY_MS_MAX = 20_000;

/** Codes of failures that a client may see meanwhile. */
const TRANSIENT: readonly unknown[] = ['unavailable', 'busy'];

/** C20: no file descriptor is free for a while. */
export const EXHAUST_DESCRIPTORS: Scenario = {
  id: 'C20',
  name: 'Without a free file descriptor it refuses for the moment only, takes no client for one of another user, and loses nothing',
  rounds: {quick: 5, standard: 100},
  findMissing: async () => {
    if (process.platform !== 'linux') return 'Linux, for /proc';
    return run('prlimit', ['--version']).then(
      () => undefined,
      () => 'prlimit',
    );
  },
  run: async context => {
    const rounds = new Rounds(context);
    for (let round = 1; round <= context.rounds; round++) {
      context.report(`round ${round} of ${context.rounds}`);
      await rounds.run(context.random.fork(`round ${round}`));
      context.count('rounds');
    }
  },
};

/** An answer of the service. */
interface Answer {
  /** 0 if there was none. */
  readonly status: number;
  /** The code of a failure. */
  readonly code: unknown;
  readonly text: string;
}

class Rounds {
  readonly #context: ScenarioContext;
  /** The last value that was acknowledged. */
  #acknowledged: string | undefined;
  #values = 0;

  constructor(context: ScenarioContext) {
    this.#context = context;
  }

  async run(random: Random): Promise<void> {
    const {directory, signal, count} = this.#context;
    const service = await startService({dataDir: join(directory, 'data'), signal});
    // A connection that is accepted already: a new one takes a descriptor itself.
    using kept = keepConnection();
    await this.#assertValue(service, kept.agent);
    // The first write of a service opens files, later ones seldom do.
    if (random.chance(0.3)) await this.#write(service, kept.agent);
    await limitFiles(service, random.integer(0, SPARE_MAX));
    for (let index = 0; index < WRITES; index++) count(`writes: ${await this.#write(service, kept.agent)}`);
    const calls = await Promise.all(Array.from({length: CALLS}, () => ask(service, {path: '/api/identity'})));
    for (const call of calls) count(`calls: ${outcomeOf(call)}`);
    await run('prlimit', ['--pid', String(service.processId), '--nofile=4096:']);
    const written = await this.#write(service, kept.agent);
    if (written !== 'answered') throw new Error(`A write after descriptors were free again: ${written}`);
    await untilAnswered(service);
    const {code, stderr} = await service.stop();
    if (code !== 0) throw new Error(`The service ended with exit code ${code}: ${stderr}`);
  }

  /** Writes the next value. @returns The outcome. @throws {Error} If it is no value, and no transient failure. */
  async #write(service: ServiceProcess, agent: Agent): Promise<string> {
    const value = String(++this.#values);
    const outcome = outcomeOf(await ask(service, {path: '/api/store/key', agent, value}));
    if (outcome === 'answered') this.#acknowledged = value;
    await this.#assertValue(service, agent);
    return outcome;
  }

  async #assertValue(service: ServiceProcess, agent: Agent): Promise<void> {
    const {status, text} = await ask(service, {path: '/api/store/key', agent});
    const expected = this.#acknowledged === undefined ? 404 : 200;
    if (status !== expected || (status === 200 && text !== this.#acknowledged))
      throw new Error(`The value is ${text} (${status}), and ${this.#acknowledged} was acknowledged`);
  }
}

interface Asked {
  readonly path: string;
  /** Absent for a new connection. */
  readonly agent?: Agent;
  /** Absent to read. */
  readonly value?: string;
}

function ask({port}: ServiceProcess, {path, agent, value}: Asked): Promise<Answer> {
  const method = value === undefined ? 'GET' : 'PUT';
  return new Promise(resolve => {
    const none = (): void => resolve({status: 0, code: undefined, text: ''});
    const sent = request({port, host: '127.0.0.1', path, method, agent: agent ?? false}, response => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', chunk => (text += chunk))
        .on('end', () => resolve({status: response.statusCode ?? 0, code: codeOf(text), text}))
        .on('error', none);
    });
    sent.setTimeout(ANSWER_MS_MAX, () => sent.destroy()).on('error', none);
    sent.end(value);
  });
}

function codeOf(text: string): unknown {
  return text.startsWith('{') ? (JSON.parse(text) as {readonly code?: unknown}).code : undefined;
}

/** Returns what became of a request. @throws {Error} If it was refused for another reason than the lack of descriptors. */
function outcomeOf({status, code, text}: Answer): string {
  if (status === 0) return 'no answer';
  if (status < 300) return 'answered';
  if (status === 503 && TRANSIENT.includes(code)) return String(code);
  throw new Error(`Without a free descriptor a request was answered with ${status}: ${text}`);
}

/** Keeps one connection open. */
function keepConnection(): Disposable & {readonly agent: Agent} {
  const agent = new Agent({keepAlive: true, maxSockets: 1});
  return {agent, [Symbol.dispose]: () => agent.destroy()};
}

/** Lets the service open only so many more files. */
async function limitFiles({processId}: ServiceProcess, spare: number): Promise<void> {
  const open = new Set((await readdir(`/proc/${processId}/fd`)).map(Number));
  let limit = 0;
  for (let free = 0; free <= spare; limit++) if (!open.has(limit)) free++;
  // The limit is that of the numbers of files, so it is the next free one.
  await run('prlimit', ['--pid', String(processId), `--nofile=${limit - 1}:`]);
}

async function untilAnswered(service: ServiceProcess): Promise<void> {
  const endMs = performance.now() + RECOVERY_MS_MAX;
  for (let outcome = ''; outcome !== 'answered'; ) {
    if (performance.now() > endMs) throw new Error(`New connections: ${outcome} after descriptors were free again`);
    outcome = outcomeOf(await ask(service, {path: '/api/identity'}));
  }
}
