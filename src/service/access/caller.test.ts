import {describe, expect, test} from 'vitest';
import type {Action} from '../../core/domain/access/access.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {type CallerParts, PrincipalCaller} from './permission.ts';

/** Returns the failure of an action; undefined if the caller may do it. */
function failureOf(parts: Partial<CallerParts>, action: Action): unknown {
  const caller = new PrincipalCaller({
    mode: 'attributed',
    principal: undefined,
    isProved: false,
    granted: [],
    ...parts,
  });
  let failure: unknown;
  try {
    caller.assertMay(action);
  } catch (error) {
    failure = error instanceof AppError ? error.failure : error;
  }
  expect(caller.may(action)).toBe(failure === undefined);
  return failure;
}

describe('PrincipalCaller', () => {
  test('may do what its facts permit', () => {
    expect(failureOf({}, 'identity:read')).toBeUndefined();
    expect(failureOf({principal: 'plugin:com.a'}, 'entries:read:com.a/x')).toBeUndefined();
  });

  test('is told which permission a token needs', () => {
    expect(failureOf({}, 'entries:read:com.a/x')).toEqual({code: 'token-required', permission: 'entries:read:com.a/'});
  });

  test('is told so with its plugin if its page has to prove itself', () => {
    expect(failureOf({mode: 'strict', principal: 'plugin:com.a'}, 'identity:read')).toEqual({
      ...{code: 'token-required', permission: 'identity:read', plugin: 'com.a'},
    });
  });

  test('is told which permission it lacks', () => {
    const expected = {code: 'permission-required', permission: 'entries:write:com.b/'};
    expect(failureOf({principal: 'plugin:com.a'}, 'entries:write:com.b/x')).toEqual({
      ...expected,
      principal: 'plugin:com.a',
    });
    expect(failureOf({principal: 'token:t'}, 'entries:write:com.b/x')).toEqual({...expected, principal: 'token:t'});
  });

  test('keeps its permissions, unless something may end them', () => {
    const facts = {mode: 'attributed', principal: 'plugin:com.a', isProved: true, granted: []} as const;
    const lasting = new PrincipalCaller(facts);
    const stop = lasting.onEnd(() => expect.unreachable());
    stop();
    const listeners: (() => void)[] = [];
    const onEnd = (listener: () => void): (() => void) => {
      listeners.push(listener);
      return () => listeners.pop();
    };
    const ending = new PrincipalCaller({...facts, onEnd});
    const cancel = ending.onEnd(() => {});
    expect([lasting.isLasting, ending.isLasting, listeners.length]).toEqual([true, false, 1]);
    cancel();
    expect(listeners).toEqual([]);
  });
});
