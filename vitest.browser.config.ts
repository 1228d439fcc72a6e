import {configDefaults, defineConfig} from 'vitest/config';
import {test} from './vitest.config.ts';

/** The tests with real browsers: one file at a time, since a browser takes all of a small machine. */
export default defineConfig({
  test: {
    ...test,
    include: ['test/browser/**/*.test.ts'],
    exclude: configDefaults.exclude,
    fileParallelism: false,
    globalSetup: ['test/build.ts'],
  },
});
