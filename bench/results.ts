import type {Machine} from './machine.ts';
import type {Memory} from './process.ts';
import type {Beside} from './sections/beside.ts';
import type {Contention} from './sections/contention.ts';
import type {Growth} from './sections/growth.ts';
import type {LatencyMeasured} from './sections/latency.ts';
import type {PluginsMeasured} from './sections/plugins.ts';
import type {SharedMeasured} from './sections/shared.ts';
import type {Starts} from './sections/start.ts';
import type {Listened} from './sections/subscribers.ts';
import type {Measured, Throughput} from './sections/throughput.ts';

/** A measured subject. */
export interface SubjectNote {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly durability: string;
  /** Its memory after it was filled, before any load. */
  readonly idle: Memory;
  /** Its disk space with the entries of the workloads. */
  readonly diskBytes: number;
}

/** A subject that was not measured, and the reason. */
export interface Missing {
  readonly name: string;
  readonly reason: string;
}

/** All results of a run: the content of the JSON file. Parts that were not requested are absent. */
export interface Results {
  readonly startedAt: string;
  readonly mode: 'full' | 'quick';
  readonly machine: Machine;
  readonly generator: string;
  /** Text about other work of the machine before the run, which makes its figures worthless; undefined if there was little. */
  readonly busy?: string | undefined;
  readonly subjects: readonly SubjectNote[];
  readonly missing: readonly Missing[];
  readonly throughput?: Throughput | undefined;
  readonly latency?: readonly LatencyMeasured[] | undefined;
  readonly contention?: readonly Contention[] | undefined;
  readonly subscribers?: readonly Listened[] | undefined;
  readonly plugins?: PluginsMeasured | undefined;
  /** The service, beside one that does not record its requests. */
  readonly recording?: readonly Measured[] | undefined;
  /** The service in the mode `open`, beside one in the mode `strict` with tokens. */
  readonly access?: readonly Measured[] | undefined;
  /** Stores in etcd, beside a plain client of it. */
  readonly shared?: SharedMeasured | undefined;
  /** Rare requests, idle seconds and memory. */
  readonly beside?: Beside | undefined;
  readonly starts?: readonly Starts[] | undefined;
  readonly growth?: Growth | undefined;
}
