import {configDefaults, defineConfig} from 'vitest/config';
import {test} from './vitest.config.ts';

/** The packed package on Node for Windows under Wine: `scripts/test-windows.js` looks for the programs that they need. */
export default defineConfig({
  test: {
    ...test,
    include: ['test/windows/**/*.test.ts'],
    exclude: configDefaults.exclude,
    globalSetup: ['test/build.ts', 'test/windows/set-up.ts'],
    maxWorkers: 2,
    // Wine stands in for Windows, and loses a race now and then: what fails twice is ours.
    retry: 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
