import {fileURLToPath} from 'node:url';
import {configDefaults, defineConfig} from 'vitest/config';
import {test} from './vitest.config.ts';

/** Tests of the tree in the real engine, not of disks in memory. Its map begins with 128 KiB on Windows. */
const GROWING = [
  'src/store/{entry-shapes,failed-reopening,growing-store,lmdb-store-*,open-directory,store-model,verify-store}.test.ts',
  'src/store/{lmdb/table,tree/*,write/*}.test.ts',
];

/**
 * The packed package on Node for Windows under Wine: `scripts/test-windows.js` looks for the programs that they need. And tests of the
 * store on this system, with the map of Windows: it maps again in write transactions there, which no test does otherwise.
 */
export default defineConfig({
  test: {
    ...test,
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...test,
          name: 'wine',
          include: ['test/windows/**/*.test.ts'],
          exclude: configDefaults.exclude,
          // Here, not for both: Vitest makes ready what is for all projects last.
          globalSetup: ['test/build.ts', 'test/windows/set-up.ts'],
          // On a busy machine tests take longer: what hangs is ended by test/windows/progress.ts, and this is for the rest.
          testTimeout: 1_200_000,
          hookTimeout: 1_200_000,
        },
      },
      {
        resolve: {alias: {lmdb: fileURLToPath(new URL('test/support/lmdb-of-windows.js', import.meta.url))}},
        test: {...test, name: 'map of Windows', include: GROWING, sequence: {groupOrder: 1}},
      },
    ],
  },
});
