import {join} from 'node:path';
import {AppError, type ClientEntries, createClient} from 'crewroom/client';
import {examine} from '../doctor.ts';
import {History, LossError} from '../history.ts';
import {Ledger} from '../ledger.ts';
import type {Random} from '../random.ts';
import {readChanges, readEntries} from '../read-back.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {type ServiceProcess, StartError, startService} from '../service-process.ts';
import {findMissingTracer, ONE_DISK_THREAD} from '../strace.ts';
import {formatValue} from '../values.ts';

/** What the system may refuse to do, whatever the engine uses of it. */
const CALLS = {
  sync: ['fdatasync', 'fsync', 'msync', 'sync_file_range'],
  write: ['pwrite64', 'pwritev', 'pwritev2', 'ftruncate', 'fallocate'],
} as const;

/** A fault of the disk. */
interface Fault {
  readonly kind: keyof typeof CALLS;
  readonly error: 'EIO' | 'ENOSPC';
  /** Which call fails, counting those of all its kind. */
  readonly first: number;
  /** Whether all that follow fail too. */
  readonly lasts: boolean;
}

/** Up to this call faults are tried: opening makes some of them, and the writes of a round the others. */
const CALLS_MAX = 60;

const WRITERS = 4;

/** So many writes each writer makes at most in a round; by then the fault came, or there are not as many calls. */
const WRITES_MAX = 40;

/** So many times each writer tries again after a failure. */
const TRIES_AFTER = 3;

/** How many entries each writer has. */
const KEYS = 12;

/** How a process ends that the engine brings down. */
const CRASHES: ReadonlySet<string> = new Set(['SIGABRT', 'SIGBUS', 'SIGSEGV']);

/** C4: the disk fails, once or for good, at any call that should make something durable. */
export const FAIL_DISK_CALLS: Scenario = {
  id: 'C4',
  name: 'When a write or a sync fails, it says so, acknowledges nothing on top, and reads go on',
  rounds: {quick: 4, standard: 200},
  findMissing: findMissingTracer,
  run: async context => {
    using ledger = new Ledger(join(context.directory, 'ledger.ndjson'));
    const rounds = new FaultRounds(context, ledger);
    for (let round = 1; round <= context.rounds; round++) await rounds.run(round);
  },
};

class FaultRounds {
  readonly #context: ScenarioContext;
  readonly #ledger: Ledger;
  readonly #history: History;
  readonly #dataDir: string;

  constructor(context: ScenarioContext, ledger: Ledger) {
    this.#context = context;
    this.#ledger = ledger;
    this.#history = new History(ledger);
    this.#dataDir = join(context.directory, 'data');
  }

  async run(round: number): Promise<void> {
    const {random: all, rounds, report, count, signal} = this.#context;
    const random = all.fork(`round ${round}`);
    const fault = chooseFault(round, random);
    const told = `round ${round} of ${rounds}: ${describeFault(fault)}`;
    report(told);
    this.#ledger.note({round, fault});
    try {
      count(await this.#break(fault, random));
      const {isProblem, complaints} = await examine(this.#dataDir, {signal});
      if (isProblem) throw new LossError(`the doctor finds: ${complaints.join('; ')}`);
      await this.#judge();
    } catch (error) {
      if (error instanceof Error) error.message = `${told}: ${error.message}`;
      throw error;
    }
  }

  /** Has a service on a disk that fails, until it did or did not. @returns What to count. */
  async #break(fault: Fault, random: Random): Promise<string> {
    const service = await this.#start(fault);
    if (typeof service === 'string') return service;
    const writers = await Promise.all(
      Array.from({length: WRITERS}, (_, index) => this.#write(service, index, random.fork(`writer ${index}`))),
    );
    const died = writers.some(({code}) => code === 'service-unreachable');
    if (died) {
      const exit = await service.exited;
      this.#ledger.note({died: exit.signal, stderr: exit.stderr});
      return 'faults of which the process died';
    }
    const failed = writers.filter(({code}) => code !== undefined);
    const result = failed.length === 0 ? 'faults that did not come' : await this.#judgeFailed(service, fault, writers);
    const {code, signal, stderr} = await service.stop();
    // What the tree lacked is written to it then, and the engine can end the process at a failed write of a page.
    if (signal !== null && CRASHES.has(signal)) {
      this.#ledger.note({diedClosing: signal, stderr});
      return 'faults at closing of which the process died';
    }
    if (code !== 0) throw new LossError(`asked to stop it ended with ${signal ?? `exit code ${code}`}`);
    return result;
  }

  /** @returns The service, or what to count where it does not start. */
  async #start({kind, error, first, lasts}: Fault): Promise<ServiceProcess | string> {
    // A question mark lets a name be unknown, as some are on other processors.
    const calls = CALLS[kind].map(call => `?${call}`).join(',');
    const inject = `inject=${calls}:error=${error}:when=${first}${lasts ? '+' : ''}`;
    const under = ['strace', '-f', '-o', '/dev/null', '-e', `trace=${calls}`, '-e', inject];
    try {
      return await startService({
        dataDir: this.#dataDir,
        under,
        environment: ONE_DISK_THREAD,
        signal: this.#context.signal,
      });
    } catch (failure) {
      if (!(failure instanceof StartError)) throw failure;
      const {code, signal, stderr} = failure.exit;
      // The engine can end the process at a failed write of a page: docs/reliability.md says so.
      if (signal !== null) return 'faults at opening of which the process died';
      const line = stderr.trim().split('\n').at(-1) ?? '';
      // Never as damaged: a disk that refuses a call is no reason to look for a backup.
      if (code === 1 && /"code":"(data-directory-unusable|disk-full)"/.test(line))
        return 'faults at opening: refused with a word';
      throw new LossError(`it does not start, and does not say why: ${failure.message}`);
    }
  }

  /** Writes until it fails, and some more. */
  async #write({url}: ServiceProcess, writer: number, random: Random): Promise<Writer> {
    const {entries} = createClient({baseUrl: url, attemptsMax: 1});
    const state: Writer = {texts: new Map(), code: undefined, acknowledgedAfter: 0};
    let rest = WRITES_MAX;
    while (rest-- > 0) {
      const key = `writer-${writer}/${random.integer(1, KEYS)}`;
      const code = await this.#put(entries, key, random, state);
      if (code === 'service-unreachable') return {...state, code};
      if (code !== undefined && state.code === undefined) rest = TRIES_AFTER;
      if (code === undefined && state.code !== undefined) state.acknowledgedAfter++;
      state.code ??= code;
    }
    return state;
  }

  async #put(entries: ClientEntries, key: string, random: Random, state: Writer): Promise<string | undefined> {
    const text = formatValue(this.#ledger.nextMark(), random.pick([10, 1000, 9000]));
    const attempt = this.#ledger.send([{kind: 'put', key, text}]);
    try {
      this.#ledger.acknowledge(attempt, await entries.put(key, text));
      state.texts.set(key, text);
      this.#context.count('acknowledged writes');
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const {code} = error.failure;
      if (code === 'service-unreachable') this.#ledger.lose(attempt);
      else this.#ledger.refuse(attempt, code);
      return code;
    }
  }

  /** After a write failed: what it said, and that what was acknowledged is served, and nothing of what was not. */
  async #judgeFailed(service: ServiceProcess, {error}: Fault, writers: readonly Writer[]): Promise<string> {
    const {entries} = createClient({baseUrl: service.url});
    for (const {texts} of writers) {
      for (const [key, text] of texts) {
        const found = (await entries.get(key))?.text;
        if (found !== text) throw new LossError(`after the failure "${key}" is not what was acknowledged`);
      }
    }
    const codes = new Set(writers.flatMap(({code}) => code ?? []));
    const allowed = error === 'ENOSPC' ? ['disk-full', 'store-read-only'] : ['store-read-only'];
    if ([...codes].some(code => !allowed.includes(code)))
      throw new LossError(`the writes fail with ${[...codes].join(', ')}`);
    const ready = await fetch(`${service.url}/readyz`);
    // After the write-ahead log the tree can fail as well, also when nobody writes any more, and that may be for good.
    if (!codes.has('store-read-only') && ready.status === 200) return 'faults answered with disk-full';
    if (ready.status !== 503) throw new LossError(`the store is read-only and /readyz says ${ready.status}`);
    const refused = writers.filter(({code}) => code === 'store-read-only');
    const after = refused.reduce((sum, {acknowledgedAfter}) => sum + acknowledgedAfter, 0);
    if (after > 0) throw new LossError(`${after} writes were acknowledged on top of one that failed`);
    return 'faults after which the store was read-only';
  }

  /** On a disk that works again everything that was acknowledged is there, nothing else, and writes work. */
  async #judge(): Promise<void> {
    const service = await startService({dataDir: this.#dataDir, signal: this.#context.signal});
    const {url} = service;
    this.#history.follow(await readChanges(url, this.#history.revision));
    this.#history.settle();
    const beganMs = Date.now();
    this.#history.compare(await readEntries(url), {beganMs, endedMs: Date.now()});
    const attempt = this.#ledger.send([{kind: 'put', key: 'again', text: '1'}]);
    this.#ledger.acknowledge(attempt, await createClient({baseUrl: url}).entries.put('again', '1'));
    await service.stop();
  }
}

interface Writer {
  /** What was acknowledged, by key. */
  readonly texts: Map<string, string>;
  /** How its first failure was called. */
  code: string | undefined;
  /** How many writes were acknowledged after that. */
  acknowledgedAfter: number;
}

function chooseFault(round: number, random: Random): Fault {
  return {
    kind: random.pick(['sync', 'write']),
    error: round % 3 === 0 ? 'ENOSPC' : 'EIO',
    // The first call now and then, and otherwise any.
    first: random.chance(0.1) ? 1 : random.integer(2, CALLS_MAX),
    lasts: random.chance(0.5),
  };
}

function describeFault({kind, error, first, lasts}: Fault): string {
  return `${error} from ${kind} ${first}${lasts ? ' and all after it' : ''}`;
}
