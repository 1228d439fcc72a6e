import assert from 'node:assert/strict';
import {tmpdir} from 'node:os';
import {setTimeout as pause} from 'node:timers/promises';
import {test} from 'vitest';
import {IS_WINDOWS} from '../../../test/support/platform.ts';
import {startCommand} from './side-command.ts';

test('a command that has ended leaves no timer behind, which would delay the end of crewroom dev', async () => {
  const {platform, env: environment} = process;
  const context = {platform, environment, pause, elapsedMs: () => performance.now()};
  const address = {host: 'localhost', port: 7172};
  const command = startCommand([process.execPath, '-e', 'process.stdin.resume()'], {
    ...{context, address},
    directory: tmpdir(),
    pageServer: undefined,
  });
  const before = countTimers();
  await command[Symbol.asyncDispose]();
  const exitCode = await command.ended;
  // Windows has an exit code in place of a signal.
  assert.equal(IS_WINDOWS ? undefined : exitCode, undefined);
  assert.ok(countTimers() <= before);
});

/** Counts the timers that keep this process alive. */
function countTimers(): number {
  return process.getActiveResourcesInfo().filter(resource => resource === 'Timeout').length;
}
