import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {AppError, createClient} from 'crewroom/client';
import {EtcdCluster} from '../../test/support/etcd-cluster.ts';
import {compactNow, findMissingEngine, startSharer} from '../engine.ts';
import {History} from '../history.ts';
import {Ledger} from '../ledger.ts';
import {LossError} from '../loss-error.ts';
import {readChanges, readEntries} from '../read-back.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';

/** The quota of the member, in bytes. */
const QUOTA_BYTES = {quick: 32 * 1024 * 1024, standard: 64 * 1024 * 1024};

/** Size of a value, in bytes: too large for the change log, so that it takes its size once. */
const VALUE_BYTES = 300_000;

/** Maximum time until the service notices the state of the engine, in milliseconds. */
const NOTICE_MS_MAX = 20_000;

/** E2, the quota: the engine is full, and reports it. */
export const FILL_ENGINE: Scenario = {
  id: 'E2F',
  name: 'The quota of etcd is used up, by the service and by others: writes fail as disk-full, deletes work, and all is well once there is space',
  rounds: {quick: 1, standard: 5},
  findMissing: findMissingEngine,
  run: async context => {
    for (let round = 1; round <= context.rounds; round++) {
      const quota = context.quick ? QUOTA_BYTES.quick : QUOTA_BYTES.standard;
      await using cluster = await EtcdCluster.start(1, [`--quota-backend-bytes=${quota}`]);
      await runRound(cluster, {round, quota}, context);
      context.count('rounds');
    }
  },
};

async function runRound(
  cluster: EtcdCluster,
  {round, quota}: {readonly round: number; readonly quota: number},
  context: ScenarioContext,
): Promise<void> {
  const {directory, report, count} = context;
  const sharer = await startSharer({cluster, context, name: `data-${round}`});
  using ledger = new Ledger(join(directory, `ledger-${round}.ndjson`));
  const history = new History(ledger);
  const {entries} = createClient({baseUrl: sharer.url, attemptsMax: 1});

  /** Puts or deletes an entry. @returns The code of the failure; undefined if it succeeded. */
  const write = async (kind: 'put' | 'delete', key: string): Promise<string | undefined> => {
    const text = `"${'x'.repeat(VALUE_BYTES)}"`;
    const attempt = ledger.send(kind === 'put' ? [{kind, key, text}] : [{kind, key}]);
    try {
      if (kind === 'put') ledger.acknowledge(attempt, {revision: (await entries.put(key, Buffer.from(text))).revision});
      else {
        await entries.delete(key);
        ledger.acknowledge(attempt);
      }
      count('acknowledged writes');
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      ledger.refuse(attempt, error.code);
      count(`writes refused as ${error.code}`);
      if (error.code !== 'disk-full') throw error;
      return error.code;
    }
  };

  report(`round ${round} of ${context.rounds}, filling`);
  const stored: string[] = [];
  for (let index = 0; (await write('put', `large/${index}`)) === undefined; index++) {
    stored.push(`large/${index}`);
    // The service looks at the size every few seconds; what is left of the quota must last until then.
    if (stored.length * VALUE_BYTES > quota * 0.7) await delay(500);
  }
  for (const key of stored.splice(0, stored.length / 2)) {
    if ((await write('delete', key)) !== undefined) throw new LossError(`${key} cannot be deleted from a full store`);
  }

  report(`round ${round} of ${context.rounds}, raising the alarm`);
  await raiseAlarm(cluster);
  const [kept = ''] = stored;
  await until(async () => (await write('put', 'refused')) === 'disk-full');
  await write('delete', kept);
  if ((await entries.get(stored[1] ?? '')) === undefined) throw new LossError('A full store cannot be read');

  report(`round ${round} of ${context.rounds}, making space`);
  await cluster.controlBeside('del', '--prefix', 'filler');
  await compactNow(cluster);
  await cluster.controlBeside('defrag');
  await cluster.controlBeside('alarm', 'disarm');
  await until(async () => (await write('put', 'again')) === undefined);
  history.follow(await readChanges(sharer.url, 0));
  history.endAttempts();
  history.compare(await readEntries(sharer.url), {beganMs: Date.now(), endedMs: Date.now()});
  count('commits checked', history.revision);
  await sharer.process.stop();
}

/** Writes beside the store until etcd refuses everything that takes space. */
async function raiseAlarm(cluster: EtcdCluster): Promise<void> {
  for (let index = 0; ; index++) {
    try {
      await cluster.controlBeside('put', `filler${index}`, 'x'.repeat(100_000));
    } catch {
      if (!cluster.control('alarm', 'list').includes('NOSPACE')) throw new Error('etcd is not full');
      return;
    }
  }
}

async function until(isReached: () => Promise<boolean>): Promise<void> {
  const startMs = performance.now();
  while (!(await isReached())) {
    if (performance.now() - startMs > NOTICE_MS_MAX) throw new LossError('The service does not notice the space');
    await delay(250);
  }
}
