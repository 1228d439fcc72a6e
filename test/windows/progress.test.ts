import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {setTimeout as pause} from 'node:timers/promises';
import {expect, onTestFinished, test} from 'vitest';
import {followProgress} from './progress.ts';

/** Starts a program of this system that runs a script. @returns The variable in its environment. */
async function start(script: string): Promise<string> {
  const mark = `progress-${Math.random()}`;
  const child = spawn(process.execPath, ['-e', script], {env: {MARK: mark}, stdio: 'ignore'});
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  return `MARK=${mark}`;
}

/** Follows a program for a time, in milliseconds. @returns What is said of it once it hangs; undefined if it does not. */
async function follow(script: string, cpuMsMax: number, ms: number): Promise<string | undefined> {
  const variable = await start(script);
  const hung = new AbortController();
  using _ = followProgress(
    () => [variable],
    reason => hung.abort(reason),
    {cpuMsMax, idleMsMax: 3000},
  );
  await pause(ms, undefined, {signal: hung.signal}).catch(() => {});
  return hung.signal.reason;
}

test('a program that does nothing hangs, and one that runs in circles', async () => {
  expect(await follow('setInterval(() => {}, 1000)', 60_000, 60_000)).toMatch(/nothing has happened for 3000 ms/);
  expect(await follow('for (;;);', 1000, 60_000)).toMatch(/more than 1000 ms of CPU time/);
});

test('programs that get on do not hang, also if each of them ends soon', async () => {
  expect(await follow('for (;;);', 60_000, 6000)).toBeUndefined();
  const one = 'const end = Date.now() + 700; while (Date.now() < end);';
  const script = `for (;;) require('node:child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(one)}])`;
  expect(await follow(script, 60_000, 6000)).toBeUndefined();
});
