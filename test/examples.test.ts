import {execFile} from 'node:child_process';
import {createRequire} from 'node:module';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';

const tsx = createRequire(import.meta.url).resolve('tsx/cli');

test('the example of embedding says what it does', async () => {
  const example = fileURLToPath(new URL('../examples/embed.ts', import.meta.url));
  const {stdout} = await promisify(execFile)(process.execPath, [tsx, example]);
  expect(stdout).toBe('stored "Good morning"\nrefused revision-conflict\nserved Ada\nfetched 200 421\n');
});
