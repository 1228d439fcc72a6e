import {defineConfig} from 'vitest/config';

// loadPlugin() starts a service and a process, which takes seconds on a busy machine.
const timeoutMs = 60_000;

export default defineConfig({
  test: {include: ['test/**/*.test.ts'], hookTimeout: timeoutMs, testTimeout: timeoutMs},
});
