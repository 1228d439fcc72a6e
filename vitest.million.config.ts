import {configDefaults, defineConfig} from 'vitest/config';
import {test} from './vitest.config.ts';

/** A store in etcd with a million entries, which take minutes to write. */
export default defineConfig({
  test: {
    ...test,
    include: ['test/million/**/*.test.ts'],
    exclude: configDefaults.exclude,
    globalSetup: ['test/build.ts'],
    fileParallelism: false,
  },
});
