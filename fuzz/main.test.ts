import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

test('a run that a terminal interrupts tells what it did so far, and takes no end of the service for a crash', async () => {
  // A group of its own, all of which a terminal interrupts at once.
  const child = spawn(process.execPath, ['--import', 'tsx', MAIN, '--minutes', '5', '--seed', '1'], {detached: true});
  let said = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    said += text;
  });
  const lines = createInterface({input: child.stderr});
  lines.on('line', line => line.startsWith('seed') && process.kill(-Number(child.pid), 'SIGINT'));
  const [code] = await once(child, 'close');
  assert.equal(code, 130);
  expect(said).toMatch(/^0 failures, 0 crashes$/m);
});
