import {join} from 'node:path';
import {AppError, type ClientEntries, createClient} from 'crewroom/client';
import {examine} from '../doctor.ts';
import {History} from '../history.ts';
import {Ledger} from '../ledger.ts';
import {LossError} from '../loss-error.ts';
import type {Random} from '../random.ts';
import {readChanges, readEntries} from '../read-back.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {type ServiceProcess, startService} from '../service-process.ts';
import {type CallFault, findMissingTracer, ONE_DISK_THREAD, traceRunning} from '../strace.ts';
import {formatValue} from '../values.ts';

/** The files of the write-ahead log. */
const LOG_FILES = ['wal-0', 'wal-1'];

/** Sizes of values, in characters: about twenty of the largest fill a file of the log. */
const LENGTHS = [10, 1000, 50_000];

/** Largest number of writes that are acknowledged before the fault. */
const ACKNOWLEDGED_MAX = 40;

/** Number of writes sent after the fault. */
const TRIES_AFTER = 8;

interface RecordFault {
  readonly error: 'EDQUOT' | 'EIO' | 'ENOSPC';
  /** The record that cannot be synced. */
  readonly record: number;
  /** Time at which it can be truncated. */
  readonly takenBack: 'at once' | 'later' | 'never';
  readonly end: 'kill' | 'stop';
}

/** C12: a record of the write-ahead log cannot be synced, and often not truncated either. */
export const REFUSE_RECORD: Scenario = {
  id: 'C12',
  name: 'A record that can be neither synced nor truncated ends all writes, and no commit shares its revision',
  rounds: {quick: 4, standard: 100},
  findMissing: findMissingTracer,
  run: async context => {
    using ledger = new Ledger(join(context.directory, 'ledger.ndjson'));
    const rounds = new RecordRounds(context, ledger);
    for (let round = 1; round <= context.rounds; round++) await rounds.run(round);
  },
};

class RecordRounds {
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
    const {random: all, rounds, report} = this.#context;
    const random = all.fork(`round ${round}`);
    const fault = chooseFault(random);
    const title = `round ${round} of ${rounds}: ${fault.error} at record ${fault.record}, truncated ${fault.takenBack}, ${fault.end}`;
    report(title);
    this.#ledger.note({round, fault});
    try {
      await this.#break(fault, random);
      await this.#check();
    } catch (error) {
      if (error instanceof Error) error.message = `${title}: ${error.message}`;
      throw error;
    }
  }

  async #break(fault: RecordFault, random: Random): Promise<void> {
    const {directory, signal} = this.#context;
    const service = await startService({dataDir: this.#dataDir, environment: ONE_DISK_THREAD, signal});
    const {entries} = createClient({baseUrl: service.url, attemptsMax: 1});
    // The log has its files from the first write on.
    await this.#put(entries, random.pick(LENGTHS), fault);
    await traceRunning(service.processId, {
      calls: ['fdatasync', 'pwrite64'],
      paths: LOG_FILES.map(name => join(this.#dataDir, 'store', name)),
      output: join(directory, 'trace'),
      faults: faultsOf(fault),
    });
    const codes = new Set<string>();
    for (let rest = ACKNOWLEDGED_MAX + TRIES_AFTER; rest-- > 0; ) {
      const code = await this.#put(entries, random.pick(LENGTHS), fault);
      // Some groups bypass the log: then the fault comes later, or not at all.
      if (code !== undefined && codes.size === 0) rest = TRIES_AFTER;
      else if (code === undefined && codes.has('store-read-only'))
        throw new LossError('a write was acknowledged by a read-only store');
      if (code !== undefined) codes.add(code);
    }
    assertCodes(codes, fault);
    this.#context.count(codes.size === 0 ? 'faults that did not occur' : `answered with ${[...codes].join(', ')}`);
    await this.#end(service, fault);
  }

  async #put(entries: ClientEntries, length: number, fault: RecordFault): Promise<string | undefined> {
    const key = `entry-${this.#ledger.nextMark() % 20}`;
    const text = formatValue(this.#ledger.nextMark(), length);
    const attempt = this.#ledger.send([{kind: 'put', key, text}]);
    try {
      this.#ledger.acknowledge(attempt, await entries.put(key, Buffer.from(text)));
      this.#context.count('acknowledged writes');
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const {code} = error;
      // The one exception of docs/reliability.md: after a kill the record may be present, whole, under a revision of
      // its own.
      if (code === 'store-read-only' && mayStay(fault)) this.#ledger.lose(attempt);
      else this.#ledger.refuse(attempt, code);
      return code;
    }
  }

  async #end(service: ServiceProcess, {end}: RecordFault): Promise<void> {
    if (end === 'kill') await service.kill();
    else if ((await service.stop()).code !== 0) throw new LossError('asked to stop, it failed');
  }

  async #check(): Promise<void> {
    const {signal} = this.#context;
    const service = await startService({dataDir: this.#dataDir, signal});
    this.#history.follow(await readChanges(service.url, this.#history.revision));
    this.#history.endAttempts();
    const beganMs = Date.now();
    this.#history.compare(await readEntries(service.url), {beganMs, endedMs: Date.now()});
    await service.stop();
    const {isProblem, complaints} = await examine(this.#dataDir, {signal});
    if (isProblem) throw new LossError(`the doctor reports: ${complaints.join('; ')}`);
  }
}

function chooseFault(random: Random): RecordFault {
  return {
    error: random.pick(['EDQUOT', 'EIO', 'ENOSPC', 'ENOSPC']),
    record: random.integer(1, ACKNOWLEDGED_MAX),
    takenBack: random.pick(['at once', 'later', 'later', 'never']),
    end: random.chance(0.8) ? 'kill' : 'stop',
  };
}

/** Each record is one write and one sync; its truncation is one more of each. */
function faultsOf({error, record, takenBack}: RecordFault): readonly CallFault[] {
  const sync = {call: 'fdatasync', error, first: record, lasts: false};
  if (takenBack === 'at once') return [sync];
  return [sync, {call: 'pwrite64', error, first: record + 1, lasts: takenBack === 'never'}];
}

/** Returns whether a refused record may be present afterwards. */
function mayStay({takenBack, end}: RecordFault): boolean {
  return takenBack === 'never' || (takenBack === 'later' && end === 'kill');
}

function assertCodes(codes: ReadonlySet<string>, {error, takenBack}: RecordFault): void {
  const wanted = takenBack === 'at once' && error !== 'EIO' ? 'disk-full' : 'store-read-only';
  const other = [...codes].find(code => code !== wanted);
  if (other !== undefined) throw new LossError(`a write was refused with ${other} instead of ${wanted}`);
}
