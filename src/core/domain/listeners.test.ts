import assert from 'node:assert/strict';
import {once} from 'node:events';
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

  test('calls the others if one throws, and reports the error', () => {
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

  test('calls a listener that another one added from the next call on, so that no call goes on for ever', () => {
    const listeners = new Listeners();
    let calls = 0;
    const addAgain = (): void => {
      calls++;
      listeners.add(addAgain);
    };
    listeners.add(addAgain);
    listeners.call();
    assert.equal(calls, 1);
    listeners.call();
    assert.equal(calls, 3);
  });

  test('does not call a listener that another one removed before', () => {
    const listeners = new Listeners();
    const calls: string[] = [];
    listeners.add(() => {
      calls.push('first');
      removeSecond();
    });
    const removeSecond = listeners.add(() => calls.push('second'));
    listeners.add(() => calls.push('third'));
    listeners.call();
    assert.deepEqual(calls, ['first', 'third']);
  });

  test('calls a listener that removes itself once', () => {
    const listeners = new Listeners();
    let calls = 0;
    const remove = listeners.add(() => {
      calls++;
      remove();
    });
    listeners.call();
    listeners.call();
    assert.equal(calls, 1);
  });

  test('calls listeners that were added after it was cleared, and no others', () => {
    const listeners = new Listeners();
    let calls = 0;
    listeners.add(() => assert.fail('called'));
    listeners.clear();
    listeners.add(() => calls++);
    listeners.call();
    assert.equal(calls, 1);
  });

  test('throws errors as uncaught exceptions if nothing receives them, after it called the other listeners', async () => {
    const failure = new Error('failed');
    const listeners = new Listeners();
    const calls: string[] = [];
    listeners.add(() => {
      throw failure;
    });
    listeners.add(() => calls.push('other'));
    const error = await uncaughtDuring(() => {
      listeners.call();
      calls.push('returned');
    });
    assert.equal(error, failure);
    assert.deepEqual(calls, ['other', 'returned']);
  });

  test('calls none after it was cleared', () => {
    const listeners = new Listeners();
    listeners.add(() => assert.fail('called'));
    listeners.clear();
    listeners.call();
  });
});

/** Returns the next uncaught exception, which the listeners of the test runner do not see. */
async function uncaughtDuring(action: () => void): Promise<unknown> {
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  try {
    const uncaught = once(process, 'uncaughtException');
    action();
    const [error] = await uncaught;
    return error;
  } finally {
    for (const other of others) process.on('uncaughtException', other);
  }
}
