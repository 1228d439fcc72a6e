/**
 * Tests of the mutants of each folder or file of `src/`, where those inside it are not enough or take too long. Each mutant runs the tests that
 * reach it, so none here waits, starts many processes, or draws other random numbers each time.
 */
export const TESTS = {
  'service/access': ['src/service/access/**/*.test.ts', 'src/http/core/guard.test.ts'],
  // A table of all contracts on memory alone: test/contracts.test.ts also runs them on disks and over sockets.
  'store/plan': ['src/store/plan/*.test.ts', 'mutants/memory-store.test.ts'],
  // Without write-ahead-log.test.ts, which starts stores and processes, and crash-images.test.ts, which takes minutes.
  'store/wal': ['src/store/wal/!(write-ahead-log).test.ts'],
  'store/wal/write-ahead-log.ts': ['src/store/wal/wal-files.test.ts'],
  'store/write': [
    'src/store/w*/!(write-ahead-log).test.ts',
    'src/store/lagging-tree.test.ts',
    'src/store/failed-reopening.test.ts',
  ],
  'store/tree': ['src/store/tree/*.test.ts', 'src/store/lagging-tree.test.ts', 'src/store/failed-reopening.test.ts'],
};
