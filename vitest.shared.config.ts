import {configDefaults, defineConfig} from 'vitest/config';
import {test} from './vitest.config.ts';

/** Stores in real clusters of etcd, which the tests start. They need etcd and etcdctl, in Debian `etcd-server` and `etcd-client`. */
export default defineConfig({
  test: {
    ...test,
    include: ['test/shared/etcd/**/*.test.ts'],
    exclude: configDefaults.exclude,
    globalSetup: ['test/build.ts'],
    fileParallelism: false,
    // Stores of many tests share a cluster.
    maxConcurrency: 10,
  },
});
