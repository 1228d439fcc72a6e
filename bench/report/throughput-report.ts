import {figuresOf, findMeasured, rateRatio} from '../lookup.ts';
import type {Results} from '../results.ts';
import type {Measured, Throughput} from '../sections/throughput.ts';
import {medianOf, spreadOf} from '../statistics.ts';
import {BARE} from '../subjects/node-subjects.ts';
import {formatFigure, formatRatio, formatSpread, formatTable} from './table.ts';

/** Utilisation from which on the generator, not the server, may limit the figure. */
const GENERATOR_SHARE_MAX = 0.85;

/** Formats the tables of requests per second: ratios of all, then the figures behind them. */
export function describeThroughput(results: Results): readonly string[] {
  const {throughput} = results;
  if (throughput === undefined) return [];
  return [
    `## Requests per second, relative to ${BARE.name}\n\n${describeRatios(results, throughput)}`,
    'Medians of the rounds; 1.00 is as fast as the platform. A dash: not offered, or not measured.',
    `## The figures\n\n${describeFigures(results, throughput)}`,
    `Ratios are medians with quartiles. "CPU" is the processor time of the server for one request.\n${describeGenerator(throughput)}`,
  ];
}

function describeRatios(results: Results, {measured}: Throughput): string {
  const names = [...new Set(measured.map(({subject}) => subject))].filter(name => name !== BARE.name);
  const rows = groupRows(measured).map(([{workload, connections}]) => [
    workload,
    String(connections),
    ...names.map(subject => formatRatio(ratioOfRow(results, {workload, connections, subject})?.median ?? Number.NaN)),
  ]);
  return formatTable([['work', 'connections', ...names], ...rows]);
}

function describeFigures(results: Results, {measured}: Throughput): string {
  const rows = groupRows(measured).flatMap(group =>
    group.map(each => {
      const ratio = ratioOfRow(results, each);
      const rate = spreadOf(figuresOf(each, 'requestsPerSecond'));
      return [
        `${each.workload} ×${each.connections}`,
        each.subject,
        ratio === undefined ? '–' : formatSpread(ratio, formatRatio),
        formatSpread(rate, formatFigure),
        formatFigure(medianOf(figuresOf(each, 'p50Ms'))),
        formatFigure(medianOf(figuresOf(each, 'p99Ms'))),
        formatFigure(medianOf(figuresOf(each, 'serverMicroseconds'))),
      ];
    }),
  );
  return formatTable([['work', 'subject', 'ratio', 'requests/s', 'p50 ms', 'p99 ms', 'CPU µs'], ...rows]);
}

function describeGenerator({measured}: Throughput): string {
  const busiest = Math.max(...measured.map(each => medianOf(figuresOf(each, 'generatorShare'))));
  const share = `The load generator was at most ${Math.round(busiest * 100)}% busy in a measurement`;
  return busiest > GENERATOR_SHARE_MAX ? `${share}: **it may have been the limit**.` : `${share}.`;
}

/** Measurements by workload and number of connections. */
function groupRows(measured: readonly Measured[]): readonly (readonly [Measured, ...Measured[]])[] {
  const groups = new Map<string, [Measured, ...Measured[]]>();
  for (const each of measured) {
    const name = `${each.workload} ${each.connections}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [each]);
    else group.push(each);
  }
  return [...groups.values()];
}

function ratioOfRow(results: Results, row: Pick<Measured, 'workload' | 'connections' | 'subject'>) {
  return rateRatio(findMeasured(results, row), findMeasured(results, {...row, subject: BARE.name}));
}
