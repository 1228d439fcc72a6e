import {describe, expect, test} from 'vitest';
import {type MetricSample, metricValue, readMetrics} from './metrics-text.ts';
import {compareTraffic, sumTraffic} from './traffic-figures.ts';

const NAME = 'crewroom_http_request_duration_seconds';

/** Returns the histogram of a route whose requests took up to 1 ms, up to 10 ms, or longer. */
function histogram(route: string, fast: number, slow: number, slowest: number): readonly MetricSample[] {
  const counts = {'0.001': fast, '0.01': fast + slow, '+Inf': fast + slow + slowest};
  const buckets = Object.entries(counts).map(([le, value]) => ({name: `${NAME}_bucket`, labels: {route, le}, value}));
  return [...buckets, {name: `${NAME}_count`, labels: {route}, value: fast + slow + slowest}];
}

describe('readMetrics()', () => {
  test('reads values, labels with quotes, and infinity, and skips comments', () => {
    const text = [
      '# HELP up Always 1',
      'up 1',
      'state{plugin="a\\"b\\\\c",text="one\\ntwo"} 0.5',
      'bucket{le="+Inf"} +Inf',
      'alone',
      '',
    ].join('\n');
    expect(readMetrics(text)).toEqual([
      {name: 'up', labels: {}, value: 1},
      {name: 'state', labels: {plugin: 'a"b\\c', text: 'one\ntwo'}, value: 0.5},
      {name: 'bucket', labels: {le: '+Inf'}, value: Number.POSITIVE_INFINITY},
    ]);
    expect(metricValue(readMetrics(text), 'up')).toBe(1);
    expect(metricValue(readMetrics(text), 'none')).toBeUndefined();
  });
});

describe('the requests between two reads', () => {
  test('are those of all routes except the metrics and the events', () => {
    const before = sumTraffic([...histogram('/a', 1, 0, 0), ...histogram('/metrics', 5, 0, 0)], 1000);
    const after = sumTraffic(
      [
        ...histogram('/a', 5, 0, 0),
        ...histogram('/b', 6, 0, 0),
        ...histogram('/metrics', 9, 0, 0),
        ...histogram('/api/events', 0, 0, 4),
      ],
      3000,
    );
    expect(compareTraffic(before, after)?.requestsPerSecond).toBe(5);
  });

  test('have a median and a 99th percentile within their buckets', () => {
    const figures = compareTraffic(
      sumTraffic(histogram('/a', 7, 7, 7), 0),
      sumTraffic(histogram('/a', 107, 107, 7), 1000),
    );
    expect(figures?.medianMs).toBeCloseTo(1);
    expect(figures?.slowMs).toBeCloseTo(9.82);
  });

  test('took at least as long as the longest bucket if they are in none', () => {
    const figures = compareTraffic(sumTraffic([], 0), sumTraffic(histogram('/a', 0, 0, 3), 1000));
    expect(figures).toEqual({requestsPerSecond: 3, medianMs: 10, slowMs: 10});
  });

  test('have no times if there were none', () => {
    const totals = histogram('/a', 3, 0, 0);
    expect(compareTraffic(sumTraffic(totals, 0), sumTraffic(totals, 2000))).toEqual({requestsPerSecond: 0});
  });

  test('are unknown if the service was started again', () => {
    expect(compareTraffic(sumTraffic(histogram('/a', 3, 0, 0), 0), sumTraffic([], 2000))).toBeUndefined();
  });
});
