import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {History, type LoggedChange} from './history.ts';
import {Ledger} from './ledger.ts';
import {runLoad} from './load.ts';
import type {Random} from './random.ts';
import {readChanges, readEntries, readEntriesOf} from './read-back.ts';
import type {ScenarioContext} from './scenario.ts';
import {type ServiceProcess, StartError, startService} from './service-process.ts';
import {verifyOnDisk} from './verify-on-disk.ts';

/** Activities beside the writers. */
export interface KillRoundsOptions {
  /** Port on which the service listens each time. @default {a free one} */
  readonly port?: number;
  /** Receives all changes, in order. */
  readonly onChanges?: (changes: readonly LoggedChange[]) => void;
  /** Called after the last kill, with a service that has no request in progress. */
  readonly afterLast?: (service: ServiceProcess) => Promise<void>;
}

const WRITERS = 8;

/** A round ends with a kill after this many acknowledgements, delayed by up to this many milliseconds. */
const ACKNOWLEDGEMENTS_MAX = 300;
const KILL_DELAY_MS_MAX = 15;

/**
 * Probability that the service is also killed while it starts, within this many milliseconds: by then it opens the
 * store.
 */
const EARLY_KILLS = 0.15;
const START_MS_MAX = 500;

/**
 * Up to this number of entries each round reads all of them back; above it only the changed ones, and from time to time
 * all.
 */
const ENTRIES_FEW = 2000;
const ROUNDS_BETWEEN_FULL_READS = 25;

/**
 * Runs a service under load on one data directory, kills it again and again, and checks after each kill what is left.
 *
 * @throws {LossError} If something is lost or wrong.
 */
export async function runKillRounds(context: ScenarioContext, options: KillRoundsOptions = {}): Promise<void> {
  using ledger = new Ledger(join(context.directory, 'ledger.ndjson'));
  await new KillRounds(context, ledger, options).run();
}

class KillRounds {
  readonly #context: ScenarioContext;
  readonly #ledger: Ledger;
  readonly #history: History;
  readonly #options: KillRoundsOptions;
  readonly #dataDir: string;

  constructor(context: ScenarioContext, ledger: Ledger, options: KillRoundsOptions) {
    this.#context = context;
    this.#ledger = ledger;
    this.#history = new History(ledger);
    this.#options = options;
    this.#dataDir = join(context.directory, 'data');
  }

  async run(): Promise<void> {
    const {random, rounds, count, report} = this.#context;
    for (let round = 1; round <= rounds; round++) {
      await this.#runRound(random.fork(`round ${round}`), round);
      count('kills');
      report(`round ${round} of ${rounds}: revision ${this.#history.revision}, ${this.#history.size} entries`);
    }
    const service = await this.#start();
    await this.#check(service, {all: true});
    await this.#options.afterLast?.(service);
    await service.stop();
    await verifyOnDisk(this.#dataDir, this.#context);
    count('commits checked', this.#history.revision);
    count('of them without an answer', this.#history.unanswered);
  }

  async #runRound(random: Random, round: number): Promise<void> {
    if (random.chance(EARLY_KILLS)) await this.#killEarly(random.integer(0, START_MS_MAX));
    if (round % ROUNDS_BETWEEN_FULL_READS === 0) await verifyOnDisk(this.#dataDir, this.#context);
    const service = await this.#start();
    await this.#check(service, {all: round % ROUNDS_BETWEEN_FULL_READS === 0});
    const acknowledgements = random.integer(1, ACKNOWLEDGEMENTS_MAX);
    this.#ledger.note({round, revision: this.#history.revision, killAfter: acknowledgements});
    await this.#writeAndKill(service, {random, acknowledgements});
  }

  #start(): Promise<ServiceProcess> {
    return startService({dataDir: this.#dataDir, port: this.#options.port, signal: this.#context.signal});
  }

  /** Kills a service that may still be starting. */
  async #killEarly(afterMs: number): Promise<void> {
    // Not AbortSignal.timeout(): Node may collect it while only AbortSignal.any() refers to it, and then it never fires.
    const early = new AbortController();
    const timer = setTimeout(() => early.abort(), afterMs);
    const killed = AbortSignal.any([this.#context.signal, early.signal]);
    try {
      const service = await startService({dataDir: this.#dataDir, signal: killed});
      await service.exited;
    } catch (error) {
      if (!(error instanceof StartError) || error.exit.signal !== 'SIGKILL') throw error;
    } finally {
      clearTimeout(timer);
    }
    this.#context.count('kills during a start');
  }

  async #writeAndKill(
    service: ServiceProcess,
    {random, acknowledgements}: {readonly random: Random; readonly acknowledgements: number},
  ): Promise<void> {
    const ended = new AbortController();
    const killDelayMs = random.integer(0, KILL_DELAY_MS_MAX);
    let rest = acknowledgements;
    const onAcknowledged = async (): Promise<void> => {
      this.#context.count('acknowledged writes');
      if (--rest !== 0) return;
      await delay(killDelayMs);
      await service.kill();
      ended.abort();
    };
    const {url} = service;
    await runLoad({url, ledger: this.#ledger, random, writers: WRITERS, signal: ended.signal, onAcknowledged});
    await service.exited;
  }

  async #check({url}: ServiceProcess, {all}: {readonly all: boolean}): Promise<void> {
    const history = this.#history;
    const changes = await readChanges(url, history.revision);
    this.#options.onChanges?.(changes);
    history.follow(changes);
    const {changedKeys} = history;
    history.endAttempts();
    const beganMs = Date.now();
    if (all || history.size < ENTRIES_FEW)
      return history.compare(await readEntries(url), {beganMs, endedMs: Date.now()});
    history.compare(await readEntriesOf(url, changedKeys), {beganMs, endedMs: Date.now(), among: changedKeys});
  }
}
