import {figuresOf, findFigures} from '../lookup.ts';
import type {Results} from '../results.ts';
import {ALONE, type PluginsMeasured} from '../sections/plugins.ts';
import type {Measured} from '../sections/throughput.ts';
import {medianOf, ratioOf} from '../statistics.ts';
import {BARE} from '../subjects/node-subjects.ts';
import {COMPARED_CONNECTIONS} from '../workloads.ts';
import {formatFigure, formatRatio, formatTable} from './table.ts';

/** Formats the tables of plugins. */
export function describePlugins({plugins}: Results): readonly string[] {
  if (plugins === undefined) return [];
  const firstMs = formatFigure(medianOf(plugins.firstRouteMs));
  const [idleMs, fetchingMs] = [plugins.firstCallMs.idle, plugins.firstCallMs.fetching].map(each =>
    formatFigure(medianOf(each)),
  );
  return [
    '## A route of a plugin',
    describeCalls(plugins),
    `${COMPARED_CONNECTIONS} connections. Processor time is that of the service and of the background together. The route answered ${firstMs} ms after the start of the service. The first call of a background that runs took ${idleMs} ms, and ${fetchingMs} ms if its route calls the service by fetch.`,
    '## The service beside plugins',
    describeBeside(plugins),
    `${COMPARED_CONNECTIONS} connections. All processes share the core for servers.`,
  ];
}

function describeCalls({calls}: PluginsMeasured): string {
  const rows = calls.map(each => {
    const times = figuresOf(each, 'serverMicroseconds');
    const ratio = ratioOf(times, findFigures(calls, {...each, subject: BARE.name}, 'serverMicroseconds'));
    return [each.subject, formatRatio(ratio.median), ...formatSamples(each)];
  });
  return formatTable([['', 'ratio of processor time', ...SAMPLE_TITLES], ...rows]);
}

function describeBeside({beside}: PluginsMeasured): string {
  const rows = beside.map(each => {
    const ratioTo = (figure: 'requestsPerSecond' | 'p99Ms'): string =>
      formatRatio(ratioOf(figuresOf(each, figure), findFigures(beside, {...each, subject: ALONE.name}, figure)).median);
    return [each.workload, each.subject, ratioTo('requestsPerSecond'), ratioTo('p99Ms'), ...formatSamples(each)];
  });
  return formatTable([['', '', 'ratio of requests/s', 'ratio of p99', ...SAMPLE_TITLES], ...rows]);
}

const SAMPLE_TITLES = ['processor µs', 'requests/s', 'p99 ms'];

function formatSamples(measured: Measured): readonly string[] {
  const figures = ['serverMicroseconds', 'requestsPerSecond', 'p99Ms'] as const;
  return figures.map(figure => formatFigure(medianOf(figuresOf(measured, figure))));
}
