import {configDefaults, defineConfig} from 'vitest/config';
import {COMMANDS, LongFirst, MAX_WORKERS, test} from './vitest.config.ts';

/** The command line: each command as people run it, with services and plugins in processes of their own. */
export default defineConfig({
  test: {
    ...test,
    include: [`${COMMANDS}/*.test.ts`],
    exclude: configDefaults.exclude,
    globalSetup: ['test/build.ts'],
    maxWorkers: MAX_WORKERS,
    isolate: false,
    sequence: {sequencer: LongFirst},
  },
});
