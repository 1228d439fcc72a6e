import type {Results} from '../results.ts';
import {medianOf, ratioOf} from '../statistics.ts';
import {BARE} from '../subjects/node-subjects.ts';
import {COMPARED_CONNECTIONS} from '../workloads.ts';
import {formatFigure, formatRatio, formatTable} from './table.ts';

/** Formats the table of requests to a route of a plugin. */
export function describePlugins({plugins}: Results): readonly string[] {
  if (plugins === undefined) return [];
  const bare = plugins.find(({subject}) => subject === BARE.name)?.samples ?? [];
  const bareTimes = bare.map(({serverMicroseconds}) => serverMicroseconds);
  const rows = plugins.map(({subject, samples}) => {
    const times = samples.map(({serverMicroseconds}) => serverMicroseconds);
    return [
      subject,
      formatRatio(ratioOf(times, bareTimes).median),
      formatFigure(medianOf(times)),
      formatFigure(medianOf(samples.map(({requestsPerSecond}) => requestsPerSecond))),
      formatFigure(medianOf(samples.map(({p99Ms}) => p99Ms))),
    ];
  });
  return [
    '## A route of a plugin',
    formatTable([['', 'ratio', 'processor µs', 'requests/s', 'p99 ms'], ...rows]),
    `${COMPARED_CONNECTIONS} connections. Processor time is that of the service and of the background together.`,
  ];
}
