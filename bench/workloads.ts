import type {KeyRange} from './generator/generator.ts';
import type {RequestTemplate} from './generator/template.ts';
import {type Dialect, ENTRIES} from './subjects/subject.ts';

/** A kind of request that is repeated. */
export interface Workload {
  readonly name: string;
  /** Numbers of connections, each of which waits for its answer. */
  readonly connections: readonly number[];
  /** The number at which a quick run compares. */
  readonly comparedConnections: number;
  /** The subjects that a quick run measures. */
  readonly quick: 'all' | 'ours' | 'none';
  /** True if a target is set for it, so that a full run measures it more often. */
  readonly hasTarget: boolean;
  readonly keys: KeyRange;
  /** Requests to send round-robin; undefined if the subject does not offer this. */
  readonly requests: (dialect: Dialect) => readonly RequestTemplate[] | undefined;
}

/** Number of connections at which subjects are compared. */
export const COMPARED_CONNECTIONS = 64;

const SMALL_KEYS: KeyRange = {first: 0, count: ENTRIES.small};
const LARGE_KEYS: KeyRange = {first: 0, count: ENTRIES.large};
const ONLY_COMPARED = {connections: [COMPARED_CONNECTIONS], comparedConnections: COMPARED_CONNECTIONS};
const ALL_CONNECTIONS = {connections: [1, 10, COMPARED_CONNECTIONS, 256], comparedConnections: COMPARED_CONNECTIONS};

/** The workloads, in the order of the report. */
export const WORKLOADS: readonly Workload[] = [
  {
    name: 'identity',
    quick: 'ours',
    hasTarget: true,
    ...ONLY_COMPARED,
    keys: SMALL_KEYS,
    requests: ({identity}) => only(identity?.()),
  },
  {
    name: 'get',
    quick: 'all',
    hasTarget: true,
    ...ALL_CONNECTIONS,
    keys: SMALL_KEYS,
    requests: ({get}) => [get('small')],
  },
  {
    name: 'put',
    quick: 'all',
    hasTarget: true,
    ...ALL_CONNECTIONS,
    keys: SMALL_KEYS,
    requests: ({put}) => [put('small')],
  },
  {
    name: 'mix',
    quick: 'none',
    hasTarget: false,
    ...ONLY_COMPARED,
    keys: SMALL_KEYS,
    requests: ({get, put}) => [get('small'), get('small'), get('small'), get('small'), put('small')],
  },
  {
    name: 'get-64k',
    quick: 'none',
    hasTarget: false,
    ...ONLY_COMPARED,
    keys: LARGE_KEYS,
    requests: ({get, sizes}) => (sizes.includes('large') ? [get('large')] : undefined),
  },
  {
    name: 'put-64k',
    quick: 'none',
    hasTarget: false,
    ...ONLY_COMPARED,
    keys: LARGE_KEYS,
    requests: ({put, sizes}) => (sizes.includes('large') ? [put('large')] : undefined),
  },
  {
    name: 'list',
    quick: 'ours',
    hasTarget: false,
    ...ONLY_COMPARED,
    keys: SMALL_KEYS,
    requests: ({list}) => only(list?.()),
  },
  {
    name: 'transaction',
    quick: 'ours',
    hasTarget: false,
    // Each has a hundred writes: 64 at once would mostly wait for each other.
    connections: [10],
    comparedConnections: 10,
    keys: SMALL_KEYS,
    requests: ({transaction}) => only(transaction?.()),
  },
];

function only(request: RequestTemplate | undefined): readonly RequestTemplate[] | undefined {
  return request === undefined ? undefined : [request];
}
