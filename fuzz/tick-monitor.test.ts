import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {text} from 'node:stream/consumers';
import {expect, test} from 'vitest';

const MONITOR = new URL('./tick-monitor.js', import.meta.url).href;

/** A function that uses the processor for some milliseconds. */
const WORK = `
const clock = () => { const {user, system} = process.cpuUsage(); return (user + system) / 1000; };
const work = ms => { for (const endMs = clock() + ms; clock() < endMs; ); };
`;

/** Runs a program with the monitor. @returns The reported ticks, in milliseconds. */
async function monitor(program: string): Promise<readonly number[]> {
  const child = spawn(process.execPath, ['--import', MONITOR, '--eval', WORK + program], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const [reported] = await Promise.all([text(child.stdio[3] as NodeJS.ReadableStream), once(child, 'exit')]);
  return reported.split('\n').filter(Boolean).map(Number);
}

test('a long tick of the event loop is reported', async () => {
  const ticks = await monitor('setTimeout(() => { work(400); setTimeout(() => {}, 50); }, 50);');
  expect(Math.max(...ticks)).toBeGreaterThan(200);
});

test('many short ticks are not reported as a long one', async () => {
  const ticks = await monitor(
    'let left = 40; const next = () => { work(10); if (left-- > 0) setImmediate(next); }; next();',
  );
  expect(Math.max(0, ...ticks)).toBeLessThan(150);
});
