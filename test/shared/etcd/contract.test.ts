import {afterAll, beforeAll} from 'vitest';
import {EtcdCluster} from '../../support/etcd-cluster.ts';
import {testEngine} from '../contract.ts';

const clusters = new Map<number, EtcdCluster>();

beforeAll(async () => {
  for (const size of [1, 3]) clusters.set(size, await EtcdCluster.start(size));
});
afterAll(async () => {
  for (const cluster of clusters.values()) await cluster[Symbol.asyncDispose]();
});

for (const [size, runs] of [
  [1, 20],
  [3, 10],
] as const) {
  testEngine(
    `etcd with ${size} member${size === 1 ? '' : 's'}`,
    () => (clusters.get(size) as EtcdCluster).createEngine(),
    runs,
  );
}
