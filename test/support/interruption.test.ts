import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {expect, test} from 'vitest';

/** Prints a line when it is interrupted, and ends when its input ends. */
const PROGRAM = `
  const {abortOnSignal} = await import(${JSON.stringify(new URL('interruption.ts', import.meta.url).href)});
  abortOnSignal().onabort = () => console.log('asked');
  console.log('ready');
  for await (const _ of process.stdin);
  process.exitCode = 130;
`;

test('a program that is interrupted several times at once shuts down gracefully', async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const said = child.stdout.setEncoding('utf8');
  const exited = once(child, 'exit');
  expect(await once(said, 'data')).toEqual(['ready\n']);
  child.kill('SIGINT');
  expect(await once(said, 'data')).toEqual(['asked\n']);
  // As npm and tsx forward the signal that the terminal has sent to all processes.
  child.kill('SIGINT');
  child.kill('SIGTERM');
  child.stdin.end();
  assert.deepEqual(await exited, [130, null]);
});
