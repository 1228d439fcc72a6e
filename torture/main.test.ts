import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readdir, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

test('an interrupted run reports its results so far, and leaves nothing behind', async () => {
  const temporary = await mkdtemp(join(tmpdir(), 'crewroom-interrupted-'));
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', MAIN, '--only', 'C1,C7', '--rounds', '1000', '--seed', '1'],
    {
      env: {...process.env, TMPDIR: temporary},
    },
  );
  let output = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text;
    if (output.includes('C1 ') && !child.killed) child.kill('SIGINT');
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 130);
  expect(output).toMatch(/^C1 interrupted: .*\d s$/m);
  expect(output).toMatch(/^0 passed, 0 failed, 0 skipped, 1 interrupted in \d+ s$/m);
  expect(output).not.toMatch(/^C7/m);
  const left = (await readdir(temporary)).filter(name => name.startsWith('crewroom'));
  assert.deepEqual(left, []);
  await rm(temporary, {recursive: true});
});
