import {configDefaults, defineConfig} from 'vitest/config';
import {test} from './vitest.config.ts';

/** The commands of `docs/guides/`, run as they stand there: with npm and its registry, which no other test needs. */
export default defineConfig({
  test: {
    ...test,
    include: ['test/guides/**/*.test.ts'],
    exclude: configDefaults.exclude,
    fileParallelism: false,
    globalSetup: ['test/build.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
