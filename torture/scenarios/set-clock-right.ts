import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {AppError, type ClientEntries, createClient} from 'crewroom/client';
import {LossError} from '../loss-error.ts';
import type {Random} from '../random.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {type ServiceProcess, startService} from '../service-process.ts';

const CLOCK_SERVICE = fileURLToPath(new URL('../clock-service.ts', import.meta.url));

const HOUR_SECONDS = 3600;

/** Hours by which the clock is ahead; entries live for less, for longer, or for ever. */
const AHEAD_HOURS = 48;

const ENTRIES = 12;

type Look = (entries: ClientEntries, key: string) => Promise<boolean>;

/** Requests that show the absence of an entry. */
const LOOKS: readonly Look[] = [
  async (entries, key) => (await entries.get(key)) === undefined,
  async (entries, key) => (await entries.list({prefix: key})).entries.every(entry => entry.key !== key),
  async (entries, key) => (await entries.delete(key)).deleted === 0,
  (entries, key) => isRefused(entries.touch(key, 1), 'no-entry'),
  (entries, key) => isRefused(entries.put(key, 'again', {expected: 1}), 'revision-conflict'),
];

/** C14: the clock is ahead, entries expire, and the clock is corrected while the service is stopped. */
export const SET_CLOCK_RIGHT: Scenario = {
  id: 'C14',
  name: 'Entries that expired while the clock was ahead stay absent after a stop or a kill and a correction of the clock',
  rounds: {quick: 3, standard: 60},
  run: async context => {
    const {rounds, random, directory, report, count} = context;
    for (let round = 1; round <= rounds; round++) {
      report(`round ${round} of ${rounds}`);
      await runRound(join(directory, `data-${round}`), random.fork(`round ${round}`), context);
      count('clock corrections');
    }
  },
};

async function runRound(dataDir: string, random: Random, {signal, count}: ScenarioContext): Promise<void> {
  const args = ['--ahead-ms', String(AHEAD_HOURS * HOUR_SECONDS * 1000)];
  const ahead = await startService({dataDir, program: ['--import', 'tsx', CLOCK_SERVICE], args, signal});
  const {entries} = createClient({baseUrl: ahead.url});
  for (let index = 0; index < ENTRIES; index++) {
    await entries.put(`short-${index}`, 1, {ttlSeconds: random.integer(1, AHEAD_HOURS - 1) * HOUR_SECONDS});
    await entries.put(`long-${index}`, 1, {ttlSeconds: (AHEAD_HOURS + random.integer(1, 48)) * HOUR_SECONDS});
    await entries.put(`lasting-${index}`, 1);
  }
  await setAhead(ahead);
  const missed = await lookAt(entries, random);
  count('entries requested after their expiry', missed.length);
  const isKilled = random.chance(0.5);
  await (isKilled ? ahead.kill() : ahead.stop());

  const service = await startService({dataDir, signal});
  const {entries: found} = createClient({baseUrl: service.url});
  const gone = isKilled ? missed : Array.from({length: ENTRIES}, (_, index) => `short-${index}`);
  for (const key of gone) if ((await found.get(key)) !== undefined) throw new LossError(`"${key}" is present again`);
  for (let index = 0; index < ENTRIES; index++) {
    for (const key of [`long-${index}`, `lasting-${index}`])
      if ((await found.get(key)) === undefined) throw new LossError(`"${key}" is absent and had time to live`);
  }
  await service.stop();
}

async function setAhead(service: ServiceProcess): Promise<void> {
  process.kill(service.processId, 'SIGUSR2');
  await service.until(output => output.includes('"message":"clock is ahead"'));
}

/** Requests a random part of the expired entries, possibly none. @returns Their keys. */
async function lookAt(entries: ClientEntries, random: Random): Promise<readonly string[]> {
  const keys = Array.from({length: ENTRIES}, (_, index) => `short-${index}`).filter(() => random.chance(0.3));
  for (const key of keys) {
    const isGone = await random.pick(LOOKS)(entries, key);
    if (!isGone) throw new LossError(`"${key}" has expired and is present`);
  }
  return keys;
}

async function isRefused(write: Promise<unknown>, code: string): Promise<boolean> {
  try {
    await write;
    return false;
  } catch (error) {
    if (error instanceof AppError && error.code === code) return true;
    throw error;
  }
}
