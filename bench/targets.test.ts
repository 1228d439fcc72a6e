import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import type {Results} from './results.ts';
import type {Sample} from './sections/throughput.ts';
import {compareTargets, TARGETS} from './targets.ts';

const NOTHING: Results = {
  startedAt: '2026-01-01T00:00:00.000Z',
  mode: 'full',
  machine: {processor: '', cores: 2, memoryGb: 1, system: '', node: '', fileSystem: '', pinned: undefined},
  generator: 'wrk',
  subjects: [],
  missing: [],
};

function sample(requestsPerSecond: number): Sample {
  return {requests: 1, requestsPerSecond, p50Ms: 1, p99Ms: 1, generatorShare: 0, serverMicroseconds: 1};
}

/** Puts at 64 connections: two rounds of each subject. */
function withPuts(rates: Readonly<Record<string, readonly number[]>>): Results {
  const measured = Object.entries(rates).map(([subject, figures]) => ({
    workload: 'put',
    connections: 64,
    subject,
    samples: figures.map(sample),
  }));
  return {...NOTHING, throughput: {measured, memoryUnderLoad: {}, rounds: 2}};
}

function verdictOf(results: Results, name: string) {
  const verdict = compareTargets(results).find(each => each.name === name);
  return {figure: verdict?.figure, verdict: verdict?.verdict};
}

describe('compareTargets()', () => {
  const name = 'puts per second, relative to bare node:http';

  test('reports a target as met at its threshold', () => {
    const results = withPuts({crewroom: [45, 90], 'bare node:http': [100, 200]});
    assert.deepEqual(verdictOf(results, name), {figure: 0.45, verdict: 'met'});
  });

  test('reports it as missed below', () => {
    const results = withPuts({crewroom: [44, 44], 'bare node:http': [100, 100]});
    assert.deepEqual(verdictOf(results, name), {figure: 0.44, verdict: 'missed'});
  });

  test('reports a figure as not measured if one of the two is missing', () => {
    assert.deepEqual(verdictOf(withPuts({crewroom: [100]}), name), {figure: undefined, verdict: 'not measured'});
    assert.deepEqual(
      verdictOf(withPuts({crewroom: [100]}), 'puts per second, relative to node:http + LMDB').verdict,
      'not measured',
    );
  });

  test('compares the p99 of puts at half of the capacity with that of the engine too', () => {
    const latency = Object.entries({crewroom: 10, 'node:http + LMDB': 4}).map(([subject, p99Ms]) => ({
      workload: 'put',
      rate: 'half of the capacity' as const,
      subject,
      samples: [{p50Ms: 1, p99Ms, p999Ms: 9, requestsPerSecond: 100}],
    }));
    const nameOf = (other: string): string => `p99 of put at half of the capacity, relative to ${other}`;
    const results = {...NOTHING, latency};
    assert.deepEqual(verdictOf(results, nameOf('node:http + LMDB')), {figure: 2.5, verdict: 'met'});
  });

  test('reports an upper limit as missed above its threshold', () => {
    const idle = {residentMb: 50, ownMb: 10};
    const starts = [{subject: 'crewroom', starts: [{firstAnswerMs: 501, idle}]}];
    assert.deepEqual(verdictOf({...NOTHING, starts}, 'first answer'), {figure: 501, verdict: 'missed'});
  });

  test('compares the service with one that does not record requests, round by round', () => {
    const measured = {workload: 'get', connections: 64};
    const recording = [
      {...measured, subject: 'no recording', samples: [100, 50, 200].map(sample)},
      {...measured, subject: 'crewroom', samples: [97, 49, 190].map(sample)},
    ];
    const target = 'get requests per second, recorded, relative to not recorded';
    assert.deepEqual(verdictOf({...NOTHING, recording}, target), {figure: 0.97, verdict: 'missed'});
  });

  test('compares the processor time of a request', () => {
    const figures = {crewroom: 23, 'bare node:http': 20};
    const measured = Object.entries(figures).map(([subject, serverMicroseconds]) => ({
      ...{workload: 'get', connections: 64, subject},
      samples: [{...sample(1), serverMicroseconds}],
    }));
    const results = {...NOTHING, throughput: {measured, memoryUnderLoad: {}, rounds: 1}};
    const target = 'processor time of a get, relative to bare node:http';
    assert.deepEqual(verdictOf(results, target), {figure: 1.15, verdict: 'met'});
  });

  test('judges nothing on a busy machine, but keeps the figures', () => {
    const results = {...withPuts({crewroom: [79], 'bare node:http': [100]}), busy: 'others waited for a core'};
    assert.deepEqual(verdictOf(results, name), {figure: 0.79, verdict: 'not judged'});
  });

  test('has no verdict without a measurement', () => {
    assert.ok(compareTargets(NOTHING).every(({verdict}) => verdict === 'not measured'));
  });

  test('gives each target its own name', () => {
    assert.equal(new Set(TARGETS.map(target => target.name)).size, TARGETS.length);
  });
});
