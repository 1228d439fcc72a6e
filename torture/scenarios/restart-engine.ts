import {createClient} from 'crewroom/client';
import {EtcdCluster} from '../../test/support/etcd-cluster.ts';
import {findMissingEngine, MEMBERS, startTwo} from '../engine.ts';
import {LossError} from '../loss-error.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';

/** The largest transactions that are allowed: number and size of their values, in bytes. A short run has the first. */
const TRANSACTIONS = [
  {count: 1000, bytes: 2000},
  {count: 2, bytes: 1024 * 1024 - 256},
  {count: 34, bytes: 60 * 1024},
] as const;

/** Number of attempts of each request: members that were started again need a moment to find a leader. */
const ATTEMPTS_MAX = 10;

/** E3: the largest transactions, then a restart of every member. */
export const RESTART_ENGINE: Scenario = {
  id: 'E3',
  name: 'All members of etcd start again after the largest transactions, and have every byte',
  rounds: {quick: 1, standard: 10},
  findMissing: findMissingEngine,
  run: async context => {
    await using cluster = await EtcdCluster.start(MEMBERS);
    const [first, second] = await startTwo(cluster, context, 'data');
    for (let round = 1; round <= context.rounds; round++) {
      await runRound(cluster, [first.url, second.url], round, context);
      context.count('rounds');
    }
    for (const {process} of [first, second]) await process.stop();
  },
};

async function runRound(
  cluster: EtcdCluster,
  [first, second]: readonly [string, string],
  round: number,
  {report, count, quick}: ScenarioContext,
): Promise<void> {
  const {entries} = createClient({baseUrl: first, attemptsMax: ATTEMPTS_MAX});
  const transactions = quick ? TRANSACTIONS.slice(0, 1) : TRANSACTIONS;
  for (const [index, {count: values, bytes}] of transactions.entries()) {
    report(`round ${round}, ${values} values of ${bytes} bytes`);
    const operations = Array.from({length: values}, (_, at) => {
      return {
        kind: 'put',
        key: `${index}/${at}`,
        value: Buffer.from(textOf(`${round}.${index}.${at}`, bytes)),
      } as const;
    });
    await entries.transact({operations});
    count('transactions');
  }
  report(`round ${round}, restarts`);
  for (let member = 0; member < MEMBERS; member++) {
    await cluster.restart(member);
    await cluster.ready();
    count('restarts');
  }
  // All of them at once, as after a loss of power.
  for (let member = 0; member < MEMBERS; member++) cluster.signal(member, 'SIGKILL');
  for (let member = 0; member < MEMBERS; member++) await cluster.restart(member);
  await cluster.ready();
  count('restarts of all at once');
  const reader = createClient({baseUrl: second, attemptsMax: ATTEMPTS_MAX}).entries;
  for (const [index, {count: values, bytes}] of transactions.entries()) {
    for (let at = 0; at < values; at++) {
      const found = await reader.get(`${index}/${at}`);
      if (found?.text !== textOf(`${round}.${index}.${at}`, bytes))
        throw new LossError(`${index}/${at} is ${found === undefined ? 'lost' : 'another value'} after the restart`);
      count('values read back');
    }
  }
}

function textOf(name: string, bytes: number): string {
  return `"${name.padEnd(bytes - 2, '.')}"`;
}
