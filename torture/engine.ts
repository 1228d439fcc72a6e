import {spawnSync} from 'node:child_process';
import {join} from 'node:path';
import type {EtcdCluster} from '../test/support/etcd-cluster.ts';
import type {ScenarioContext} from './scenario.ts';
import {type ServiceProcess, startService} from './service-process.ts';

/** Number of members of a cluster. */
export const MEMBERS = 3;

/** Longest time in which a service answers, also without the engine, in milliseconds: 10 s, and as much for a busy machine. */
export const ANSWER_MS_MAX = 20_000;

/** A service on an engine, which keeps its port when it is started again. */
export interface Sharer {
  readonly process: ServiceProcess;
  readonly url: string;
  /** Kills it, and starts it again. */
  restart(): Promise<void>;
}

/** Parameters of {@link startSharer}. */
export interface SharerOptions {
  readonly name: string;
  readonly cluster: Pick<EtcdCluster, 'addresses'>;
  readonly context: Pick<ScenarioContext, 'directory' | 'signal'>;
  /** Path of a program, and its arguments, that replace the built service. */
  readonly program?: readonly string[];
  readonly args?: readonly string[];
  /** More parameters of the store. */
  readonly query?: string;
}

/** Returns the programs that are missing for scenarios with an engine; undefined if there are none. */
export async function findMissingEngine(): Promise<string | undefined> {
  const missing = ['etcd', 'etcdctl'].filter(tool => spawnSync(tool, ['--help']).error !== undefined);
  return missing.length === 0 ? undefined : missing.join(' and ');
}

/** Starts a service with its store in a cluster. */
export async function startSharer(options: SharerOptions): Promise<Sharer> {
  const {name, cluster, context, program, args = [], query = ''} = options;
  const start = (port?: number): Promise<ServiceProcess> =>
    startService({
      ...{dataDir: join(context.directory, name), signal: context.signal, port},
      ...(program === undefined ? {} : {program}),
      args: ['--store', `etcd://${cluster.addresses.join()}/shared${query}`, ...args],
    });
  let process = await start();
  return {
    get process() {
      return process;
    },
    url: process.url,
    restart: async () => {
      await process.kill();
      process = await start(process.port);
    },
  };
}

/** Starts two services on one cluster. */
export async function startTwo(
  cluster: EtcdCluster,
  context: SharerOptions['context'],
  label: string,
): Promise<readonly [Sharer, Sharer]> {
  const first = await startSharer({cluster, context, name: `first-${label}`});
  return [first, await startSharer({cluster, context, name: `second-${label}`})];
}

/** Compacts the history of a cluster up to now. @returns Whether there was anything to compact. */
export async function compactNow(cluster: EtcdCluster): Promise<boolean> {
  const [, revision = ''] = /"revision":(\d+)/.exec(await cluster.controlBeside('get', 'nothing', '-w', 'json')) ?? [];
  try {
    await cluster.controlBeside('compaction', revision, '--physical');
    return true;
  } catch (error) {
    if (/revision has been compacted/.test(String(error))) return false;
    throw error;
  }
}
