import {setTimeout as delay} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {createClient} from 'crewroom/client';
import {EtcdCluster} from '../../test/support/etcd-cluster.ts';
import {findMissingEngine, type Sharer, startSharer} from '../engine.ts';
import {LossError} from '../loss-error.ts';
import {readChanges} from '../read-back.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';

const CLOCK_SERVICE = fileURLToPath(new URL('../clock-service.ts', import.meta.url));

/** Time by which the clock of the second service is ahead of that of the first, one after the other, in milliseconds. No service follows a clock further ahead of etcd than 5 s. */
const AHEAD_MS = [4000, -10_000, 0] as const;

/** Entries that expire, and how long they live, in seconds. */
const ENTRIES = 24;
const TTL_SECONDS = {from: 1, to: 20};

/** Pause between two looks at all entries, in milliseconds. */
const LOOK_MS = 150;

/** Time that entries are observed with each clock, in milliseconds. */
const OBSERVED_MS = {quick: 1500, standard: 10_000};

/** E2, the clocks: those of two services differ, and jump. */
export const SHIFT_CLOCKS: Scenario = {
  id: 'E2C',
  name: 'The clocks of two services on one engine differ by seconds, and go back: what has expired stays absent at both, and expires once',
  rounds: {quick: 1, standard: 5},
  findMissing: findMissingEngine,
  run: async context => {
    await using cluster = await EtcdCluster.start(1);
    const args = ['--ahead-ms', Array.from({length: context.rounds}, () => AHEAD_MS).join()];
    const sharers: Sharer[] = [];
    for (const name of ['right', 'wrong'])
      sharers.push(await startSharer({cluster, context, name, program: ['--import', 'tsx', CLOCK_SERVICE], args}));
    const [right, wrong] = sharers as [Sharer, Sharer];
    for (let round = 1; round <= context.rounds; round++) {
      await runRound([right, wrong], round, context);
      context.count('rounds');
    }
    for (const {process} of sharers) await process.stop();
  },
};

async function runRound(
  [right, wrong]: readonly [Sharer, Sharer],
  round: number,
  {random, report, count, quick}: ScenarioContext,
): Promise<void> {
  const clients = [right, wrong].map(({url}) => createClient({baseUrl: url}).entries);
  const prefix = `round-${round}/`;
  const absent = new Set<string>();
  for (const aheadMs of AHEAD_MS) {
    report(`round ${round}, the clock of one service is ${aheadMs / 1000} s ahead`);
    for (let index = 0; index < ENTRIES; index++) {
      const ttlSeconds = random.integer(TTL_SECONDS.from, TTL_SECONDS.to);
      // Each key once: an entry that is present again after it was absent has come back.
      await random.pick(clients).put(`${prefix}${aheadMs}/${index}`, 1, {ttlSeconds});
      count('entries');
    }
    process.kill(wrong.process.processId, 'SIGUSR2');
    const endMs = performance.now() + (quick ? OBSERVED_MS.quick : OBSERVED_MS.standard);
    while (performance.now() < endMs) {
      for (const client of clients) count('entries found absent', await look(client, prefix, absent));
      await delay(LOOK_MS);
    }
  }
  const changes = (await readChanges(right.url, 0)).filter(({key}) => key.startsWith(prefix));
  const expired = changes.filter(({kind}) => kind === 'entry-expired').map(({key}) => key as string);
  if (new Set(expired).size !== expired.length) throw new LossError('An entry has expired twice');
  for (const key of absent) if (!expired.includes(key)) await untilExpired(right.url, key);
  count('expiries', expired.length);
}

/** Lists the entries. @returns The number of those that were not known to be absent. */
async function look(
  client: ReturnType<typeof createClient>['entries'],
  prefix: string,
  absent: Set<string>,
): Promise<number> {
  const written = await client.list({prefix, limit: 1000});
  const present = new Set<string>(written.entries.map(({key}) => key));
  for (const key of present) if (absent.has(key)) throw new LossError(`${key} had expired, and is present again`);
  const before = absent.size;
  for (const aheadMs of AHEAD_MS) {
    // Of a part that is being written, nothing is absent.
    const keys = Array.from({length: ENTRIES}, (_, index) => `${prefix}${aheadMs}/${index}`);
    if (!keys.some(key => present.has(key) || absent.has(key))) continue;
    for (const key of keys) if (!present.has(key)) absent.add(key);
  }
  return absent.size - before;
}

/** Waits until the expiry of an entry is in the log, which the sweep of a service writes. */
async function untilExpired(url: string, key: string): Promise<void> {
  for (let attempt = 1; attempt <= 50; attempt++) {
    const changes = await readChanges(url, 0);
    if (changes.some(change => change.kind === 'entry-expired' && change.key === key)) return;
    await delay(200);
  }
  throw new LossError(`${key} is absent, and has not expired`);
}
