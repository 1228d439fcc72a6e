import {availableParallelism} from 'node:os';
import {configDefaults, defineConfig} from 'vitest/config';

/** Settings of all kinds of tests. */
export const test = {
  include: [
    'src/**/*.test.ts',
    'console/src/**/*.test.ts',
    'test/**/*.test.ts',
    'torture/**/*.test.ts',
    'fuzz/**/*.test.ts',
    'bench/**/*.test.ts',
  ],
  // Those with real browsers take as long as all others: see vitest.browser.config.ts. Those of etcd: vitest.shared.config.ts and
  // vitest.million.config.ts;
  // those under Wine: vitest.windows.config.ts.
  exclude: [
    ...configDefaults.exclude,
    'test/browser/**',
    'test/guides/**',
    'test/million/**',
    'test/shared/etcd/**',
    'test/windows/**',
    'test/release/**',
  ],
  // Real disks, sockets and processes: what is slow here is the machine, not the code.
  testTimeout: 90_000,
  hookTimeout: 90_000,
  expect: {poll: {timeout: 60_000}},
};

/** Files that run in a process of their own, because they measure it, change it, or may end it. */
const OWN_PROCESS = [
  // The engine may end the process at a damaged file.
  'src/store/**',
  'test/store/**',
  // Processor time, and how long the event loop stands still.
  'test/ticks.test.ts',
  'test/hostile-texts.test.ts',
  'test/parser-verdicts.test.ts',
  'test/identity/hostile-texts.test.ts',
  'test/http/{bodies,many-connections,places,slow-clients}.test.ts',
  // Memory, descriptors, and what the garbage collector takes.
  'test/client/collected-requests.test.ts',
  'test/http/{disconnects,held-memory}.test.ts',
  'test/identity/call-memory.test.ts',
  // The umask, and warnings of the process.
  'src/client/attempts.test.ts',
  'test/http/{binding,upgrade}.test.ts',
];

export default defineConfig({
  test: {
    ...test,
    globalSetup: ['test/build.ts'],
    // One more than there are cores: many files wait, for processes that they start and for time to pass, and leave their core idle meanwhile. Not in
    // the projects, where it would override --maxWorkers of the command line.
    maxWorkers: availableParallelism() + 1,
    projects: [
      // Starting a process and loading the service in it takes longer than most files of tests.
      {test: {...test, name: 'shared', exclude: [...test.exclude, ...OWN_PROCESS], isolate: false}},
      {
        test: {
          ...test,
          name: 'own process',
          include: OWN_PROCESS.map(glob => glob.replace(/\*\*$/, '**/*.test.ts')),
          // After the shared ones: between them, the shared process would be started again.
          sequence: {groupOrder: 1},
        },
      },
    ],
  },
});
