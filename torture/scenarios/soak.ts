import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {History} from '../history.ts';
import {Ledger} from '../ledger.ts';
import {assertLevel, type Level, readLevel} from '../levels.ts';
import {runLoad} from '../load.ts';
import type {Random} from '../random.ts';
import {readChanges, readEntries, readEntriesOf} from '../read-back.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {type ServiceProcess, startService} from '../service-process.ts';
import {verifyOnDisk} from '../verify-on-disk.ts';

/** A round of the standard form, in milliseconds: 240 of them take two hours. A short run has short rounds. */
const ROUND_MS = {quick: 2000, standard: 30_000} as const;

const WRITERS = 8;

/** Pause of a writer between requests: the service is in use all the time, and not busy. */
const PAUSE_MS = 40;

const ROUNDS_BETWEEN_FULL_READS = 20;

/** Faults that are on in some rounds, and the failure that writers get. The last one delays requests only. */
const FAULTS = [
  {fault: {kind: 'disk-full'}, code: 'disk-full'},
  {fault: {kind: 'store-read-only'}, code: 'store-read-only'},
  {fault: {kind: 'error', code: 'busy', path: '/api/store/*1*'}, code: 'busy'},
  {fault: {kind: 'delay', delayMs: 50, path: '/api/store/*1*'}, code: 'busy'},
] as const;

const FAULT_CHANCE = 0.25;

/**
 * Mixed load for hours. The service is stopped after the first quarter and killed after the second; from then on one
 * process runs to the end, whose memory, files and descriptors must not grow.
 */
export const SOAK: Scenario = {
  id: 'SOAK',
  name: 'Under mixed load for hours, with restarts and faults, it loses nothing and does not grow',
  rounds: {quick: 4, standard: 240},
  findMissing: async () => (process.platform === 'linux' ? undefined : 'the /proc of Linux'),
  run: async context => {
    using ledger = new Ledger(join(context.directory, 'ledger.ndjson'));
    await new Soak(context, ledger).run();
  },
};

class Soak {
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

  async run(): Promise<void> {
    const {rounds, quick, count} = this.#context;
    const quarter = Math.ceil(rounds / 4);
    const first = await this.#runRounds(1, quarter);
    await first.service.stop();
    const second = await this.#runRounds(quarter + 1, 2 * quarter);
    await second.service.kill();
    const {service, levels} = await this.#runRounds(2 * quarter + 1, rounds);
    await service.stop();
    await verifyOnDisk(this.#dataDir, this.#context);
    // A short run ends before the store is full of entries, so it grows.
    if (!quick) assertLevel(levels);
    count('commits checked', this.#history.revision);
    count('MB of memory at most', Math.round(Math.max(...levels.map(({memoryBytes}) => memoryBytes)) / 1e6));
    count('MB of files at most', Math.round(Math.max(...levels.map(({filesBytes}) => filesBytes)) / 1e6));
  }

  /** Runs these rounds with one process, which is left running. */
  async #runRounds(first: number, last: number): Promise<{service: ServiceProcess; levels: readonly Level[]}> {
    const {random, rounds, report, signal} = this.#context;
    const service = await startService({dataDir: this.#dataDir, signal});
    const levels: Level[] = [];
    for (let round = first; round <= last; round++) {
      await this.#runRound(service, random.fork(`round ${round}`));
      await this.#check(service, {all: round % ROUNDS_BETWEEN_FULL_READS === 0 || round === last});
      const level = await readLevel(service.processId, this.#dataDir);
      levels.push(level);
      this.#ledger.note({round, ...level});
      report(`round ${round} of ${rounds}: revision ${this.#history.revision}, ${formatLevel(level)}`);
    }
    return {service, levels};
  }

  async #runRound({url}: ServiceProcess, random: Random): Promise<void> {
    const {quick, count, signal} = this.#context;
    const ended = new AbortController();
    const chosen = random.chance(FAULT_CHANCE) ? random.pick(FAULTS) : undefined;
    if (chosen !== undefined) {
      count('rounds with a fault');
      await setFaults(url, [chosen.fault]);
    }
    const writing = runLoad({
      url,
      ledger: this.#ledger,
      random,
      writers: WRITERS,
      pauseMs: PAUSE_MS,
      signal: ended.signal,
      onAcknowledged: () => count('acknowledged writes'),
      mayFailWith: chosen === undefined ? [] : [chosen.code],
    });
    try {
      await Promise.race([delay(ROUND_MS[quick ? 'quick' : 'standard'], undefined, {signal}), writing]);
    } finally {
      ended.abort();
    }
    await writing;
    if (chosen !== undefined) await setFaults(url, []);
  }

  async #check({url}: ServiceProcess, {all}: {readonly all: boolean}): Promise<void> {
    const history = this.#history;
    history.follow(await readChanges(url, history.revision));
    const {changedKeys} = history;
    history.endAttempts();
    const beganMs = Date.now();
    if (all) return history.compare(await readEntries(url), {beganMs, endedMs: Date.now()});
    history.compare(await readEntriesOf(url, changedKeys), {beganMs, endedMs: Date.now(), among: changedKeys});
  }
}

async function setFaults(url: string, faults: readonly object[]): Promise<void> {
  const response = await fetch(`${url}/api/faults`, {method: 'PUT', body: JSON.stringify({faults})});
  if (!response.ok) throw new Error(`Cannot switch faults: ${await response.text()}`);
}

function formatLevel({memoryBytes, filesBytes, descriptors}: Level): string {
  return `${Math.round(memoryBytes / 1e6)} MB of memory, ${Math.round(filesBytes / 1e6)} MB of files, ${descriptors} descriptors`;
}
