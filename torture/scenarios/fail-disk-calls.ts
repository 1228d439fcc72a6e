import {join} from 'node:path';
import {AppError, type ClientEntries, createClient} from 'crewroom/client';
import {examine} from '../doctor.ts';
import {History} from '../history.ts';
import {Ledger} from '../ledger.ts';
import {LossError} from '../loss-error.ts';
import type {Random} from '../random.ts';
import {readChanges, readEntries} from '../read-back.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {type ServiceProcess, StartError, startService} from '../service-process.ts';
import {findMissingTracer, ONE_DISK_THREAD} from '../strace.ts';
import {formatValue} from '../values.ts';

/** System calls that the engine may use, and which may fail. */
const CALLS = {
  sync: ['fdatasync', 'fsync', 'msync', 'sync_file_range'],
  write: ['pwrite64', 'pwritev', 'pwritev2', 'ftruncate', 'fallocate'],
} as const;

/** A fault of the disk. */
interface Fault {
  readonly kind: keyof typeof CALLS;
  readonly error: 'EIO' | 'ENOSPC';
  /** Number of the first call that fails, counted among all of its kind. */
  readonly first: number;
  /** True if all later calls fail too. */
  readonly lasts: boolean;
}

/** Highest number of a failing call: opening makes some of the calls, and the writes of a round the others. */
const CALLS_MAX = 60;

const WRITERS = 4;

/** Maximum number of writes per writer and round; by then the fault has occurred, or there are fewer calls. */
const WRITES_MAX = 40;

/** Number of further attempts of each writer after a failure. */
const TRIES_AFTER = 3;

/** Number of entries of each writer. */
const KEYS = 12;

/** Signals by which the process ends if the engine crashes. */
const CRASHES: ReadonlySet<string> = new Set(['SIGABRT', 'SIGBUS', 'SIGSEGV']);

/** C4: the disk fails, once or for good, at any call that makes data durable. */
export const FAIL_DISK_CALLS: Scenario = {
  id: 'C4',
  name: 'When a write or a sync fails, the service reports it, acknowledges no further write, and still serves reads',
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
    const title = `round ${round} of ${rounds}: ${describeFault(fault)}`;
    report(title);
    this.#ledger.note({round, fault});
    try {
      count(await this.#break(fault, random));
      const {isProblem, complaints} = await examine(this.#dataDir, {signal});
      if (isProblem) throw new LossError(`the doctor reports: ${complaints.join('; ')}`);
      await this.#check();
    } catch (error) {
      if (error instanceof Error) error.message = `${title}: ${error.message}`;
      throw error;
    }
  }

  /** Runs a service on a failing disk until the fault has occurred or cannot occur any more. @returns What to count. */
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
      return 'faults that crashed the process';
    }
    const failed = writers.filter(({code}) => code !== undefined);
    const result = failed.length === 0 ? 'faults that did not occur' : await this.#checkFailed(service, fault, writers);
    const {code, signal, stderr} = await service.stop();
    // Closing checkpoints to the tree, and the engine can crash at a failed page write.
    if (signal !== null && CRASHES.has(signal)) {
      this.#ledger.note({diedClosing: signal, stderr});
      return 'faults at closing that crashed the process';
    }
    if (code !== 0) throw new LossError(`asked to stop, it ended with ${signal ?? `exit code ${code}`}`);
    return result;
  }

  /** @returns The service, or what to count if it does not start. */
  async #start({kind, error, first, lasts}: Fault): Promise<ServiceProcess | string> {
    // With a question mark strace ignores unknown names: some calls do not exist on other processors.
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
      // The engine can crash at a failed page write: see docs/reliability.md.
      if (signal !== null) return 'faults at opening that crashed the process';
      const line = stderr.trim().split('\n').at(-1) ?? '';
      // Never reported as damage: a failed call is no reason to restore a backup.
      if (code === 1 && /"code":"(data-directory-unusable|disk-full)"/.test(line))
        return 'faults at opening reported by a failure';
      throw new LossError(`it does not start, and does not report why: ${failure.message}`);
    }
  }

  /** Writes until a write fails, and a few times more. */
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
      this.#ledger.acknowledge(attempt, await entries.put(key, Buffer.from(text)));
      state.texts.set(key, text);
      this.#context.count('acknowledged writes');
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const {code} = error;
      if (code === 'service-unreachable') this.#ledger.lose(attempt);
      else this.#ledger.refuse(attempt, code);
      return code;
    }
  }

  /**
   * Asserts after a failed write that the failure has the right code, and that acknowledged entries are served and no
   * others.
   */
  async #checkFailed(service: ServiceProcess, {error}: Fault, writers: readonly Writer[]): Promise<string> {
    const {entries} = createClient({baseUrl: service.url});
    for (const {texts} of writers) {
      for (const [key, text] of texts) {
        const found = (await entries.get(key))?.text;
        if (found !== text) throw new LossError(`after the failure "${key}" differs from the acknowledged value`);
      }
    }
    const codes = new Set(writers.flatMap(({code}) => code ?? []));
    const allowed = error === 'ENOSPC' ? ['disk-full', 'store-read-only'] : ['store-read-only'];
    if ([...codes].some(code => !allowed.includes(code)))
      throw new LossError(`the writes fail with ${[...codes].join(', ')}`);
    const ready = await fetch(`${service.url}/readyz`);
    // After the write-ahead log the tree can fail as well, even without further writes, and that may be permanent.
    if (!codes.has('store-read-only') && ready.status === 200) return 'faults answered with disk-full';
    if (ready.status !== 503) throw new LossError(`the store is read-only and /readyz answers ${ready.status}`);
    const refused = writers.filter(({code}) => code === 'store-read-only');
    const after = refused.reduce((sum, {acknowledgedAfter}) => sum + acknowledgedAfter, 0);
    if (after > 0) throw new LossError(`${after} writes were acknowledged after a failed one`);
    return 'faults after which the store was read-only';
  }

  /** Asserts on a working disk that all acknowledged entries are present, no others are, and writes succeed. */
  async #check(): Promise<void> {
    const service = await startService({dataDir: this.#dataDir, signal: this.#context.signal});
    const {url} = service;
    this.#history.follow(await readChanges(url, this.#history.revision));
    this.#history.endAttempts();
    const beganMs = Date.now();
    this.#history.compare(await readEntries(url), {beganMs, endedMs: Date.now()});
    const attempt = this.#ledger.send([{kind: 'put', key: 'again', text: '1'}]);
    this.#ledger.acknowledge(attempt, await createClient({baseUrl: url}).entries.put('again', 1));
    await service.stop();
  }
}

interface Writer {
  /** Acknowledged entries, by key. */
  readonly texts: Map<string, string>;
  /** Code of its first failure. */
  code: string | undefined;
  /** Number of writes acknowledged after that. */
  acknowledgedAfter: number;
}

function chooseFault(round: number, random: Random): Fault {
  return {
    kind: random.pick(['sync', 'write']),
    error: round % 3 === 0 ? 'ENOSPC' : 'EIO',
    // Sometimes the first call, otherwise a random one.
    first: random.chance(0.1) ? 1 : random.integer(2, CALLS_MAX),
    lasts: random.chance(0.5),
  };
}

function describeFault({kind, error, first, lasts}: Fault): string {
  return `${error} from ${kind} ${first}${lasts ? ' and all later ones' : ''}`;
}
