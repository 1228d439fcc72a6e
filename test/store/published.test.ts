import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {text} from 'node:stream/consumers';
import {fileURLToPath} from 'node:url';
import {describe, test} from 'vitest';

const PROGRAM = fileURLToPath(new URL('published-contracts.js', import.meta.url));

describe('the published contracts', () => {
  test('run with the test runner of Node, on what the package exports', async () => {
    const {status, output} = await run();
    assert.equal(status, 0, output);
    assert.match(output, /^# fail 0$/m);
    assert.ok(Number(/^# pass (\d+)$/m.exec(output)?.[1]) > 100, output);
  });

  test('fail for a store that breaks a promise', async () => {
    const {status, output} = await run('broken');
    assert.equal(status, 1);
    assert.match(output, /^ *not ok \d+ - takes no revision for a commit that changes nothing$/m);
  });
});

async function run(...options: readonly string[]): Promise<{readonly status: unknown; readonly output: string}> {
  // The runner behaves differently below another one, which it knows by this variable.
  const {NODE_TEST_CONTEXT, ...env} = process.env;
  const child = spawn(process.execPath, ['--test-reporter=tap', PROGRAM, ...options], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const status = new Promise(resolve => child.once('exit', resolve));
  return {output: await text(child.stdout), status: await status};
}
