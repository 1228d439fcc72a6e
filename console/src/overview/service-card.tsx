import {programAddress} from '../service/own-origin.ts';
import {Facts} from '../shell/facts.tsx';
import {formatBytes, formatDuration} from '../shell/format/format-figures.ts';
import type {ConsoleState} from '../state/console-state.ts';
import {LimitsTable} from './limits-table.tsx';
import {type MetricSample, metricValue} from './metrics-text.ts';
import type {OverviewState} from './overview-state.ts';

/** The service: its health, its store, its versions and its limits. */
export function ServiceCard({state, overview}: {readonly state: ConsoleState; readonly overview: OverviewState}) {
  const samples = overview.traffic.samples.value;
  return (
    <section class="card" aria-labelledby="service-title">
      <div class="page-head apart">
        <h2 id="service-title">Service</h2>
        <Health state={state} samples={samples} />
      </div>
      <ServiceFigures overview={overview} />
      {metricValue(samples, 'crewroom_store_read_only') === 1 && (
        <p class="note danger">
          The disk has failed, and nothing can be written. Check the disk, then start the service again. A fault that is
          switched on looks the same.
        </p>
      )}
      <LimitsTable limits={overview.limits} />
    </section>
  );
}

function Health({state, samples}: {readonly state: ConsoleState; readonly samples: readonly MetricSample[]}) {
  const {value: status} = state.connection.status;
  if (status === 'connecting' || samples.length === 0) return <span class="state">Connecting</span>;
  const isAway = status === 'lost';
  const isReadOnly = metricValue(samples, 'crewroom_store_read_only') === 1;
  const word = isAway ? 'Away' : isReadOnly ? 'Read-only' : 'Healthy';
  return (
    <span class="state" data-state={isAway || isReadOnly ? 'broken' : 'running'}>
      {word}
    </span>
  );
}

const STORES: Readonly<Record<string, string>> = {lmdb: 'On disk', memory: 'In memory', etcd: 'In etcd'};

function ServiceFigures({overview}: {readonly overview: OverviewState}) {
  const service = overview.service.value.value;
  const samples = overview.traffic.samples.value;
  const startedSeconds = metricValue(samples, 'process_start_time_seconds');
  const memoryBytes = metricValue(samples, 'process_resident_memory_bytes');
  const node = samples.find(({name}) => name === 'crewroom_build_info')?.labels['node_version'];
  const entries = metricValue(samples, 'crewroom_store_entries');
  const sizeBytes = metricValue(samples, 'crewroom_store_size_bytes');
  const revision = metricValue(samples, 'crewroom_store_revision');
  return (
    <Facts
      facts={[
        ['Address', programAddress()],
        ['Running for', startedSeconds && formatDuration(Date.now() / 1000 - startedSeconds)],
        ['Entries', entries?.toLocaleString('en')],
        ['Revision', revision?.toLocaleString('en')],
        ['Store', service && (STORES[service.storeKind] ?? service.storeKind)],
        ['Data directory', service?.dataDir],
        ['Size on the disk', sizeBytes && formatBytes(sizeBytes)],
        ['Memory', memoryBytes && formatBytes(memoryBytes)],
        [
          'Version',
          service &&
            `Crewroom ${service.version}, API ${service.apiVersion}${node === undefined ? '' : `, Node ${node}`}`,
        ],
        [
          'Also running',
          service?.developments?.map(({plugin, port}) => (
            <div key={port}>
              <a href={`http://localhost:${port}/#/plugins/${encodeURIComponent(plugin)}`}>{plugin}</a> in development,
              on {port}
            </div>
          )),
        ],
        ['Store id', service && <code>{service.storeId}</code>],
      ]}
    />
  );
}
