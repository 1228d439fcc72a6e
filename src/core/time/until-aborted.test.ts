import assert from 'node:assert/strict';
import {getEventListeners} from 'node:events';
import {describe, test} from 'vitest';
import {untilAborted} from './until-aborted.ts';

const REASON = new Error('no longer wanted');

/** A promise that stays open until it is told otherwise. */
function open(): {promise: Promise<string>; resolve: (value: string) => void; reject: (error: unknown) => void} {
  let resolve: (value: string) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<string>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return {promise, resolve, reject};
}

describe('untilAborted()', () => {
  test('resolves with the promise', async () => {
    const {promise, resolve} = open();
    const waiting = untilAborted(promise, new AbortController().signal);
    resolve('done');
    assert.equal(await waiting, 'done');
  });

  test('rejects with the promise', async () => {
    const {promise, reject} = open();
    const waiting = untilAborted(promise, new AbortController().signal);
    reject(REASON);
    await assert.rejects(waiting, REASON);
  });

  test('rejects with the reason of the signal while the promise is open', async () => {
    const controller = new AbortController();
    const waiting = untilAborted(open().promise, controller.signal);
    controller.abort(REASON);
    await assert.rejects(waiting, REASON);
  });

  test('rejects at once if the signal is aborted already', async () => {
    await assert.rejects(untilAborted(open().promise, AbortSignal.abort(REASON)), REASON);
  });

  test('rejects with the error of the platform if the signal has no reason of its own', async () => {
    await assert.rejects(untilAborted(open().promise, AbortSignal.abort()), {name: 'AbortError'});
  });

  test('does not change its result when the signal is aborted later', async () => {
    const controller = new AbortController();
    const waiting = untilAborted(Promise.resolve('done'), controller.signal);
    assert.equal(await waiting, 'done');
    controller.abort(REASON);
    assert.equal(await waiting, 'done');
  });

  test('handles the error of a promise that fails after the signal', async () => {
    const {promise, reject} = open();
    await assert.rejects(untilAborted(promise, AbortSignal.abort(REASON)), REASON);
    reject(new Error('too late'));
    await assert.rejects(promise, /too late/);
  });

  test('leaves no listener at a signal that outlives many calls', async () => {
    const {signal} = new AbortController();
    for (let call = 0; call < 20; call++) {
      await untilAborted(Promise.resolve(call), signal);
      await untilAborted(Promise.reject(REASON), signal).catch(() => {});
    }
    await new Promise(resolve => setImmediate(resolve));
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });
});
