import {configDefaults, defineConfig} from 'vitest/config';

/** Settings of all kinds of tests. */
export const test = {
  include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'torture/**/*.test.ts', 'fuzz/**/*.test.ts', 'bench/**/*.test.ts'],
  // Those with real browsers take as long as all others: see vitest.browser.config.ts.
  exclude: [...configDefaults.exclude, 'test/browser/**'],
  // Half of what the tests do is done by processes that they start, so that a core apart for Vitest would be idle.
  maxWorkers: '100%',
  // Real disks, sockets and processes: what is slow here is the machine, not the code.
  testTimeout: 90_000,
  hookTimeout: 90_000,
  expect: {poll: {timeout: 60_000}},
  globalSetup: ['test/build.ts'],
};

export default defineConfig({test});
