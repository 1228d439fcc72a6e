import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {Listeners} from './listeners.ts';

describe('Listeners', () => {
  test('calls every listener, in the order in which they were added', () => {
    const listeners = new Listeners();
    const calls: string[] = [];
    listeners.add(() => calls.push('a'));
    listeners.add(() => calls.push('b'));
    listeners.call();
    assert.deepEqual(calls, ['a', 'b']);
  });

  test('calls a listener that was added twice twice, and removes each addition alone', () => {
    const listeners = new Listeners();
    let calls = 0;
    const listener = (): void => void calls++;
    const remove = listeners.add(listener);
    listeners.add(listener);
    listeners.call();
    assert.equal(calls, 2);
    remove();
    remove();
    listeners.call();
    assert.equal(calls, 3);
  });

  test('calls the others if one throws, and hands on the error', () => {
    const errors: unknown[] = [];
    const listeners = new Listeners(error => errors.push(error));
    const failure = new Error('failed');
    let called = false;
    listeners.add(() => {
      throw failure;
    });
    listeners.add(() => {
      called = true;
    });
    listeners.call();
    assert.deepEqual([errors, called], [[failure], true]);
  });

  test('calls none after it was cleared', () => {
    const listeners = new Listeners();
    listeners.add(() => assert.fail('called'));
    listeners.clear();
    listeners.call();
  });
});
