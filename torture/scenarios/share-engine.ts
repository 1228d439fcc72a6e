import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import {EtcdCluster} from '../../test/support/etcd-cluster.ts';
import {GoneError, HistoryRecorder, type RecordedService} from '../linearizability/recorder.ts';
import {assertLinearizable, countExchanges, RACE_PREFIX, takeStep} from '../race-steps.ts';
import type {Random} from '../random.ts';
import type {Scenario, ScenarioContext} from '../scenario.ts';
import {startService} from '../service-process.ts';

/** Number of members of the cluster. */
const MEMBERS = 3;

/** Number of writers at each of the two services. */
const WRITERS = 4;

/** Number of keys that all writers race for. */
const KEYS = 4;

/** Steps of all writers together before each fault, and after the last. */
const STEPS = {quick: 60, standard: 200};

/** Faults, one after the other. A member that was stopped continues before the next. */
const FAULTS = ['kill the leader', 'stop the leader', 'stop a follower', 'stop the majority'] as const;

/** Time for which members are stopped, in milliseconds: longer than the service waits for a member. */
const STOPPED_MS = {quick: 4000, standard: 20_000};

/** E1: two services on one engine, whose members are killed and stopped. */
export const SHARE_ENGINE: Scenario = {
  id: 'E1',
  name: 'Two services share a store in etcd, whose members are killed and stopped: one order explains all answers',
  rounds: {quick: 1, standard: 10},
  findMissing: async () => {
    const missing = ['etcd', 'etcdctl'].filter(tool => spawnSync(tool, ['--help']).error !== undefined);
    return missing.length === 0 ? undefined : missing.join(' and ');
  },
  run: async context => {
    for (let round = 1; round <= context.rounds; round++) {
      await using cluster = await EtcdCluster.start(MEMBERS);
      await runRound(cluster, round, context);
      context.count('rounds');
    }
  },
};

async function runRound(cluster: EtcdCluster, round: number, context: ScenarioContext): Promise<void> {
  const {directory, signal, report, count, random, quick} = context;
  const args = ['--store', `etcd://${cluster.addresses.join()}/round-${round}`];
  const services = [];
  for (const name of ['first', 'second'])
    services.push(await startService({dataDir: join(directory, `${name}-${round}`), args, signal}));
  const recorder = new HistoryRecorder();
  const race = new Race(
    services.map(({url}) => recorder.watch(url)),
    random,
  );
  for (const fault of FAULTS) {
    report(`round ${round} of ${context.rounds}, ${fault}`);
    await race.progress(quick ? STEPS.quick : STEPS.standard);
    await inject(fault, cluster, quick ? STOPPED_MS.quick : STOPPED_MS.standard);
    await cluster.ready();
  }
  await race.progress(quick ? STEPS.quick : STEPS.standard);
  await race.end();
  for (const service of services) await service.stop();
  recorder.cutOff();
  await assertLinearizable(recorder.history, join(directory, `share-engine-${round}.history.json`));
  countExchanges(recorder.history, count);
}

async function inject(fault: (typeof FAULTS)[number], cluster: EtcdCluster, stoppedMs: number): Promise<void> {
  const leader = cluster.findLeader();
  if (fault === 'kill the leader') return cluster.restart(leader);
  const followers = [leader + 1, leader + 2].map(index => index % MEMBERS);
  const stopped = {
    'stop the leader': [leader],
    'stop a follower': followers.slice(0, 1),
    'stop the majority': followers,
  }[fault];
  for (const member of stopped) cluster.signal(member, 'SIGSTOP');
  await new Promise(resolve => setTimeout(resolve, stoppedMs));
  for (const member of stopped) cluster.signal(member, 'SIGCONT');
}

/** Writers at two services that race for the same entries, until they are ended. */
class Race {
  readonly #running: Promise<unknown>;
  #steps = 0;
  #isEnded = false;

  constructor(services: readonly RecordedService[], random: Random) {
    const keys = Array.from({length: KEYS}, (_, index) => `${RACE_PREFIX}${index}`);
    this.#running = Promise.all(
      services.flatMap((service, at) =>
        Array.from({length: WRITERS}, (_, writer) => this.#write(service, {keys, name: `${at}.${writer}`, random})),
      ),
    );
    // Reported by `end`.
    this.#running.catch(() => {});
  }

  /** Waits until all writers together have taken so many more steps. */
  async progress(steps: number): Promise<void> {
    const end = this.#steps + steps;
    const waiting = (async () => {
      while (this.#steps < end) await new Promise(resolve => setTimeout(resolve, 20));
    })();
    await Promise.race([waiting, this.#running]);
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#running;
  }

  async #write(
    service: RecordedService,
    {keys, name, random}: {readonly keys: readonly string[]; readonly name: string; readonly random: Random},
  ): Promise<void> {
    const chance = random.fork(`writer ${name}`);
    for (let step = 0; !this.#isEnded; step++) {
      try {
        await takeStep(service, {keys, chance, value: `"${name}.${step}"`});
        this.#steps++;
      } catch (error) {
        if (!(error instanceof GoneError)) throw error;
      }
    }
  }
}
