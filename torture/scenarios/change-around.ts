import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Crewroom} from 'crewroom';
import {createClient} from 'crewroom/client';
import {openTestCrewroom} from 'crewroom/testing';
import {listFiles} from '../damage.ts';
import {examine} from '../doctor.ts';
import {LossError} from '../loss-error.ts';
import type {Random} from '../random.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {StartError, startService} from '../service-process.ts';
import {findMissingMount, mountSmallDisk} from '../small-disk.ts';

const HOUR_MS = 3_600_000;

/**
 * Tolerance at an expiry, in milliseconds: the store's clock goes on while the simulated clock of the machine stands
 * still, for less than this in a round.
 */
const MARGIN_MS = HOUR_MS / 2;

/** Number of steps in a round with clock jumps. */
const STEPS = 120;

/** Number of entries in the large directory. */
const MANY = 1_000_000;

/** C11: changes of clock, directory and data format. */
export const CHANGE_AROUND: Scenario = {
  id: 'C11',
  name: 'Clock jumps, read-only directories, other data formats and large directories lose nothing',
  rounds: {quick: 2, standard: 50},
  run: async context => {
    const {rounds, random, directory, report, count, quick} = context;
    for (let round = 1; round <= rounds; round++) {
      report(`round ${round} of ${rounds}: the clock jumps`);
      await new ClockRound(join(directory, `clock-${round}`), random.fork(`round ${round}`)).run();
      count('rounds with clock jumps');
    }
    report('formats');
    await refuseOtherFormats(join(directory, 'formats'), context);
    if ((await findMissingMount()) === undefined) await refuseReadOnly(join(directory, 'read-only'), context);
    else report('without a read-only directory: no right to mount');
    if (!quick) await fillLarge(join(directory, 'large'), context);
  },
};

interface Expiring {
  readonly text: string;
  /** Time by the clock of the store. */
  readonly expiresAtMs: number;
}

/** A service inside this process, with a clock that jumps forwards and backwards. */
class ClockRound {
  readonly #dataDir: string;
  readonly #random: Random;
  readonly #written = new Map<string, Expiring>();
  #machineMs = Date.UTC(2026, 0, 1);
  /** Highest time that the service has seen: its clock for expiry never goes back behind it. */
  #highestMs = this.#machineMs;

  constructor(dataDir: string, random: Random) {
    this.#dataDir = dataDir;
    this.#random = random;
  }

  async run(): Promise<void> {
    let crewroom = await this.#open();
    try {
      for (let step = 0; step < STEPS; step++) {
        if (this.#random.chance(0.2)) this.#jump();
        await this.#write(crewroom, step);
        await this.#assertRight(crewroom);
        if (!this.#random.chance(0.1)) continue;
        await crewroom[Symbol.asyncDispose]();
        if (this.#random.chance(0.5)) this.#machineMs -= this.#random.integer(0, 72) * HOUR_MS;
        crewroom = await this.#open();
        await this.#assertRight(crewroom);
      }
    } finally {
      await crewroom[Symbol.asyncDispose]();
    }
  }

  async #open(): Promise<Crewroom> {
    return openTestCrewroom({dataDir: this.#dataDir, profile: null, keepSession: false, nowMs: () => this.#machineMs});
  }

  #jump(): void {
    this.#machineMs += this.#random.integer(-48, 48) * HOUR_MS;
    this.#highestMs = Math.max(this.#highestMs, this.#machineMs);
  }

  async #write({entries}: Crewroom, step: number): Promise<void> {
    const key = `entry-${this.#random.integer(1, 20)}`;
    const text = String(step);
    const ttlHours = this.#random.chance(0.3) ? undefined : this.#random.integer(1, 100);
    await entries.put(key, Buffer.from(text), ttlHours === undefined ? {} : {ttlSeconds: ttlHours * 3600});
    const expiresAtMs = ttlHours === undefined ? Infinity : this.#highestMs + ttlHours * HOUR_MS;
    this.#written.set(key, {text, expiresAtMs});
    const {updatedAtMs} = (await entries.get(key)) ?? {};
    if (updatedAtMs !== this.#machineMs)
      throw new LossError(`"${key}" was written at ${this.#machineMs} and has updatedAt ${updatedAtMs}`);
  }

  async #assertRight({entries}: Crewroom): Promise<void> {
    for (const [key, {text, expiresAtMs}] of this.#written) {
      const found = await entries.get(key);
      const leftMs = expiresAtMs - this.#highestMs;
      if (leftMs < -MARGIN_MS && found !== undefined) throw new LossError(`"${key}" has expired and is present`);
      if (leftMs > MARGIN_MS && String(found && Buffer.from(found.json)) !== text)
        throw new LossError(
          `"${key}" has ${leftMs} ms to live, and is ${found === undefined ? 'absent' : 'different'}`,
        );
    }
  }
}

/** A newer and an older data format. */
const OTHER_FORMATS = [99, 1];

/** Asserts that a directory of another format is refused and not changed. */
async function refuseOtherFormats(dataDir: string, {signal, count}: ScenarioContext): Promise<void> {
  const first = await startService({dataDir, signal});
  await createClient({baseUrl: first.url}).entries.put('a', 1);
  // The write-ahead log stays for the next start.
  await first.kill();
  const file = join(dataDir, 'format.json');
  const format = await readFile(file);
  for (const other of OTHER_FORMATS) {
    await writeFile(file, `{"format":${other}}\n`);
    const before = await readAllFiles(dataDir);
    await assertRefused(dataDir, {code: 'data-format-unsupported', signal});
    if (!(await readAllFiles(dataDir)).equals(before))
      throw new LossError(`a directory of format ${other} was changed`);
    count('directories of another format');
  }
  await writeFile(file, format);
  const again = await startService({dataDir, signal});
  if ((await createClient({baseUrl: again.url}).entries.get('a'))?.text !== '1') throw new LossError('"a" is lost');
  await again.stop();
}

async function refuseReadOnly(path: string, {signal, count}: ScenarioContext): Promise<void> {
  await using disk = await mountSmallDisk(path, 64 * 1024 * 1024);
  const dataDir = join(path, 'data');
  const first = await startService({dataDir, signal});
  await createClient({baseUrl: first.url}).entries.put('a', 1);
  // Killed instead of stopped, so that the next start has work to do.
  await first.kill();
  await disk.remount('ro');
  await assertRefused(dataDir, {code: 'data-directory-unusable', signal});
  await disk.remount('rw');
  const again = await startService({dataDir, signal});
  if ((await createClient({baseUrl: again.url}).entries.get('a'))?.text !== '1') throw new LossError('"a" is lost');
  await again.stop();
  count('read-only directories');
}

/** Asserts that the service refuses to start with this code, and that the doctor reports it too. */
async function assertRefused(
  dataDir: string,
  {code, signal}: {readonly code: string; readonly signal: AbortSignal},
): Promise<void> {
  try {
    await (await startService({dataDir, signal})).stop();
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    if (!error.exit.stderr.includes(`"code":"${code}"`))
      throw new LossError(`refused without ${code}: ${error.message}`);
    const {isProblem} = await examine(dataDir, {signal});
    if (!isProblem) throw new LossError(`refused with ${code}, and the doctor reports nothing`);
    return;
  }
  throw new LossError(`not refused: ${code}`);
}

async function readAllFiles(directory: string): Promise<Buffer> {
  const files = await listFiles(directory);
  return Buffer.concat(await Promise.all(files.map(file => readFile(join(directory, file)))));
}

/** A million entries, and a kill after more writes. */
async function fillLarge(dataDir: string, {random, signal, report, count}: ScenarioContext): Promise<void> {
  report(`${MANY} entries`);
  const service = await startService({dataDir, signal});
  const {entries} = createClient({baseUrl: service.url});
  for (let from = 0; from < MANY; from += 1000) {
    const operations = Array.from({length: 1000}, (_, index) => {
      return {kind: 'put', key: `large/${from + index}`, value: from + index} as const;
    });
    await entries.transact({operations});
  }
  await service.kill();
  const again = await startService({dataDir, signal});
  const client = createClient({baseUrl: again.url});
  for (let index = 0; index < 1000; index++) {
    const wanted = random.integer(0, MANY - 1);
    if ((await client.entries.get(`large/${wanted}`))?.text !== String(wanted))
      throw new LossError(`large/${wanted} is lost`);
  }
  let listed = 0;
  for await (const _ of client.entries.listAll({})) listed++;
  if (listed !== MANY) throw new LossError(`${listed} of ${MANY} entries are listed`);
  await again.stop();
  const {isProblem, complaints} = await examine(dataDir, {signal});
  if (isProblem) throw new LossError(`the doctor reports: ${complaints.join('; ')}`);
  count('entries of a large store', listed);
}
