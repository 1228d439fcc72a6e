import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

test('a run interrupted by the terminal reports its results, and does not take the end of the service for a crash', async () => {
  // A process group of its own, which a terminal interrupts as a whole.
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, '--minutes', '5', '--seed', '1'], {detached: true});
  let output = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text;
  });
  const lines = createInterface({input: child.stderr});
  lines.on('line', line => line.startsWith('seed') && process.kill(-Number(child.pid), 'SIGINT'));
  const [code] = await once(child, 'close');
  assert.equal(code, 130);
  expect(output).toMatch(/^0 failures, 0 crashes$/m);
});
