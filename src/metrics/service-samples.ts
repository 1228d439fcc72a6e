import type {Store} from '../domain/commits/store.ts';
import type {Revision} from '../domain/entries/revision.ts';
import type {StoreFaults} from '../domain/faults/active-faults.ts';
import type {PluginStatus} from '../domain/plugins/plugin.ts';
import type {CheckpointCounts, EventStatistics, StoreStatistics, WalStatistics} from '../domain/statistics.ts';
import {type SamplesOf, single} from './text-form.ts';

/** The part of a store that has figures. */
export type MeasuredStore = Pick<Store, 'revision' | 'readOnlyBecause' | 'statistics'>;

/**
 * Reads the figures of a store. An engine of another program may have none besides its revision.
 *
 * @param firstRevision The revision when the service started.
 */
export async function storeSamples(
  store: MeasuredStore,
  {faults, firstRevision}: {readonly faults: Pick<StoreFaults, 'readOnlyBecause'>; readonly firstRevision: Revision},
): Promise<SamplesOf<'crewroom_store' | 'crewroom_wal'>> {
  const statistics: Partial<StoreStatistics> = (await store.statistics()) ?? {};
  return {
    crewroom_store_revision: single(store.revision),
    // Each commit that changes something takes one revision.
    crewroom_store_commits_total: single(store.revision - firstRevision),
    crewroom_store_written_bytes_total: single(statistics.writtenBytes),
    crewroom_store_entries: single(statistics.entries),
    crewroom_store_size_bytes: single(statistics.sizeBytes),
    crewroom_store_waiting_commits: single(statistics.waitingCommits),
    crewroom_store_read_only: single((store.readOnlyBecause ?? faults.readOnlyBecause) === undefined ? 0 : 1),
    ...checkpointSamples(statistics.checkpoints),
    ...walSamples(statistics.wal),
  };
}

function checkpointSamples(counts: CheckpointCounts | undefined): SamplesOf<'crewroom_store_checkpoints'> {
  const samples = Object.entries(counts ?? {}).map(([result, value]) => ({labels: {result}, value}));
  return {crewroom_store_checkpoints_total: samples};
}

function walSamples(wal: WalStatistics | undefined): SamplesOf<'crewroom_wal'> {
  return {
    crewroom_wal_size_bytes: single(wal?.sizeBytes),
    crewroom_wal_waiting_records: single(wal?.waitingRecords),
    crewroom_wal_written_bytes_total: single(wal?.writtenBytes),
    crewroom_wal_sync_duration_seconds: single(wal?.syncs),
  };
}

/** Returns the figures of the event hub. */
export function eventSamples(statistics: EventStatistics): SamplesOf<'crewroom_events'> {
  return {
    crewroom_events_subscribers: single(statistics.subscribers),
    crewroom_events_delivered_total: single(statistics.delivered),
    crewroom_events_dropped_total: single(statistics.dropped),
    crewroom_events_slow_subscribers_total: single(statistics.slowSubscribers),
  };
}

/** Returns the figures of plugins; of those without a background only the state. */
export function pluginSamples(plugins: readonly PluginStatus[]): SamplesOf<'crewroom_plugin'> {
  const running = plugins.filter(({hasBackground}) => hasBackground);
  return {
    crewroom_plugin_state: plugins.map(({id, state}) => ({labels: {plugin: id, state}, value: 1})),
    crewroom_plugin_ends_total: running.map(({id, ends}) => ({labels: {plugin: id}, value: ends})),
    crewroom_plugin_memory_bytes: running.flatMap(({id, memoryBytes}) =>
      memoryBytes === undefined ? [] : [{labels: {plugin: id}, value: memoryBytes}],
    ),
  };
}
