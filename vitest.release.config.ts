import {configDefaults, defineConfig} from 'vitest/config';
import {test} from './vitest.config.ts';

/** The files of a release: `scripts/test-windows.js` looks for Wine, which those for Windows need. */
export default defineConfig({
  test: {
    ...test,
    // The keychain is the same with the folder for Windows as with npm.
    include: ['test/release/**/*.test.ts', 'test/windows/session.test.ts'],
    exclude: configDefaults.exclude,
    globalSetup: ['test/build.ts', 'test/release/set-up.ts'],
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 480_000,
  },
});
