import {signal} from '@preact/signals';
import {expect, onTestFinished, test, vi} from 'vitest';
import {followWhile} from './follow-while.ts';

test('followWhile() follows once at a time, and only while the condition holds', async () => {
  const condition = signal(false);
  const ended = new AbortController();
  const steps: string[] = [];
  followWhile(condition, ended.signal, async followed => {
    steps.push('begin');
    if (!followed.aborted) await new Promise(resolve => followed.addEventListener('abort', resolve));
    await Promise.resolve();
    steps.push('end');
  });
  expect(steps).toEqual([]);
  condition.value = true;
  await vi.waitUntil(() => steps.length === 1);
  condition.value = false;
  condition.value = true;
  condition.value = false;
  condition.value = true;
  await vi.waitUntil(() => steps.length === 3);
  expect(steps).toEqual(['begin', 'end', 'begin']);
  ended.abort();
  await vi.waitUntil(() => steps.length === 4);
  condition.value = false;
  condition.value = true;
  await new Promise(setImmediate);
  expect(steps).toEqual(['begin', 'end', 'begin', 'end']);
});

test('followWhile() follows again after a failure, and reports it', async () => {
  const report = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => report.mockRestore());
  const condition = signal(true);
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  const failures = [new Error('first'), new Error('second')];
  let calls = 0;
  followWhile(condition, ended.signal, () => Promise.reject(failures[calls++]));
  await vi.waitUntil(() => calls === 1);
  condition.value = false;
  condition.value = true;
  await vi.waitUntil(() => report.mock.calls.length === 2);
  expect(report.mock.calls.map(([, error]) => error)).toEqual(failures);
});
