import {defineConfig} from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'torture/**/*.test.ts'],
    // Real disks, sockets and processes: what is slow here is the machine, not the code.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    globalSetup: ['test/build.ts'],
  },
});
