import {availableParallelism} from 'node:os';
import {configDefaults, defineConfig, type ViteUserConfig} from 'vitest/config';

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
  testTimeout: 180_000,
  hookTimeout: 90_000,
  expect: {poll: {timeout: 60_000}},
};

/** Files that run in a process of their own, because they measure it, change it, or may end it. */
const OWN_PROCESS = [
  // The engine may end the process at a damaged file.
  'src/store/*.test.ts',
  'src/store/{disk,lmdb}/**',
  'src/store/format/store-metadata.test.ts',
  'src/store/wal/write-ahead-log.test.ts',
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

/**
 * Files that take as long as all others: the command line, with its services and plugins in processes of their own, and what is killed, fails, loses power,
 * is slow or is compiled many times over. `npm run test:long` runs them, and `npm run test:node` those that depend on Node.
 */
export const LONG = {
  together: [
    'test/cli/**/*.test.ts',
    'src/cli/npm/pack-package.test.ts',
    'test/http/{access-matrix,other-users}.test.ts',
    'test/plugins/{host,load-plugin}.test.ts',
    'test/scripts/release.test.ts',
    'test/{build,examples,tour}.test.ts',
    'fuzz/main.test.ts',
  ],
  apart: [
    'src/store/{crash-images,failing-disk,lmdb-store-disk-failure}.test.ts',
    'src/store/format/header-checksum.test.ts',
    'src/store/lmdb/{opening,process-lock}.test.ts',
    'src/store/store-model.test.ts',
    'test/store/lmdb-kill.test.ts',
    'test/http/{held-memory,many-connections,places,slow-clients}.test.ts',
  ],
} as const;

/** Files to run, as globs. */
export interface Files {
  /** Files that share processes. @default {all but those apart} */
  readonly together?: readonly string[];
  /** Files with a process each. @default {those that need it} */
  readonly apart?: readonly string[];
  /** Files that are left out. @default {none} */
  readonly skipped?: readonly string[];
}

/** Returns the settings of tests without a browser, Wine or etcd. */
export function configure({together = test.include, apart = OWN_PROCESS, skipped = []}: Files): ViteUserConfig {
  const exclude = [...test.exclude, ...skipped];
  return defineConfig({
    test: {
      ...test,
      globalSetup: ['test/build.ts'],
      // More than there are cores: many files wait, for processes that they start and for time to pass, and leave their core idle meanwhile. Not in
      // the projects, where it would override --maxWorkers of the command line.
      maxWorkers: availableParallelism() + 2,
      projects: [
        // Starting a process and loading the service in it takes longer than most files of tests.
        {
          test: {
            ...test,
            name: 'shared',
            include: [...together],
            exclude: [...exclude, ...OWN_PROCESS],
            isolate: false,
          },
        },
        {
          test: {
            ...test,
            name: 'own process',
            include: apart.map(glob => glob.replace(/\*\*$/, '**/*.test.ts')),
            exclude,
            // After the shared ones: between them, the shared process would be started again.
            sequence: {groupOrder: 1},
          },
        },
      ],
    },
  });
}

export default configure({skipped: [...LONG.together, ...LONG.apart]});
