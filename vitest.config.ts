import {availableParallelism} from 'node:os';
import {configDefaults, defineConfig, type ViteUserConfig} from 'vitest/config';
import {BaseSequencer, type TestSpecification} from 'vitest/node';

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

/** Files that take long for their size, by which Vitest orders the others: they start first, so that no core waits for them at the end. */
const LONG = [
  'src/store/crash-images.test.ts',
  'src/store/failing-disk.test.ts',
  'src/store/format/header-checksum.test.ts',
  'src/store/lmdb/opening.test.ts',
  'src/store/lmdb/process-lock.test.ts',
  'src/store/store-model.test.ts',
  'test/store/lmdb-kill.test.ts',
  'test/http/access-matrix.test.ts',
  'test/http/held-memory.test.ts',
  'test/http/many-connections.test.ts',
  'test/http/other-users.test.ts',
  'test/http/places.test.ts',
  'test/http/slow-clients.test.ts',
  'test/cli/places.test.ts',
  'test/cli/plugin-kills.test.ts',
  'test/cli/plugin-update.test.ts',
  'test/scripts/release.test.ts',
  'test/examples.test.ts',
  'src/cli/npm/pack-package.test.ts',
  'fuzz/main.test.ts',
];

/** The order of the files. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({moduleId}: TestSpecification): boolean => LONG.some(name => moduleId.endsWith(name));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter(file => !isLong(file))];
  }
}

/** Tests of the command line, which take as long as all others. `npm run test:commands` runs them, and `npm run test:node` those that depend on Node. */
export const COMMANDS = 'test/cli/**';

/** Workers: more than there are cores, since many files wait, for processes that they start and for time to pass, and leave their core idle meanwhile. */
export const MAX_WORKERS: number = availableParallelism() + 2;

/** Returns the settings of all tests without a browser, Wine or etcd. @param skipped Globs of files that are left out. */
export function configure(skipped: readonly string[] = []): ViteUserConfig {
  const exclude = [...test.exclude, ...skipped];
  return defineConfig({
    test: {
      ...test,
      globalSetup: ['test/build.ts'],
      // Not in the projects, where it would override --maxWorkers of the command line.
      maxWorkers: MAX_WORKERS,
      sequence: {sequencer: LongFirst},
      projects: [
        // Starting a process and loading the service in it takes longer than most files of tests.
        {test: {...test, name: 'shared', exclude: [...exclude, ...OWN_PROCESS], isolate: false}},
        {
          test: {
            ...test,
            name: 'own process',
            include: OWN_PROCESS.map(glob => glob.replace(/\*\*$/, '**/*.test.ts')),
            exclude,
            // After the shared ones: between them, the shared process would be started again.
            sequence: {groupOrder: 1},
          },
        },
      ],
    },
  });
}

export default configure([COMMANDS]);
