import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {text} from 'node:stream/consumers';
import {fileURLToPath} from 'node:url';
import {test} from 'vitest';

const PROGRAM = fileURLToPath(new URL('published-contract.js', import.meta.url));

test('the published contract runs with the test runner of Node, on what the package exports', async () => {
  // The runner behaves differently below another one, which it knows by this variable.
  const {NODE_TEST_CONTEXT, ...env} = process.env;
  const child = spawn(process.execPath, ['--test-reporter=tap', PROGRAM], {env, stdio: ['ignore', 'pipe', 'inherit']});
  const exited = new Promise(resolve => child.once('exit', resolve));
  const output = await text(child.stdout);
  assert.equal(await exited, 0, output);
  assert.match(output, /^# fail 0$/m);
  assert.match(output, /^# pass 6$/m);
});
