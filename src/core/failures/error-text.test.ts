import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {describe, test} from 'vitest';
import {AppError, codeOf, messageOf} from './app-error.ts';

describe('messageOf()', () => {
  const thrown: readonly {readonly name: string; readonly error: unknown; readonly message: string}[] = [
    {name: 'an error', error: new Error('no such file'), message: 'no such file'},
    {name: 'an error of a subclass', error: new RangeError('out of range'), message: 'out of range'},
    {name: 'an error without a message', error: new Error(''), message: ''},
    {name: 'a failure', error: new AppError({code: 'store-closed'}), message: 'Cannot use the store: it is closed'},
    {name: 'a string', error: 'failed', message: 'failed'},
    {name: 'a number', error: 7, message: '7'},
    {name: 'undefined', error: undefined, message: 'undefined'},
    {name: 'null', error: null, message: 'null'},
    {name: 'a symbol', error: Symbol('s'), message: 'Symbol(s)'},
    {name: 'an object that is not an error', error: {message: 'x'}, message: '[object Object]'},
  ];
  for (const {name, error, message} of thrown) {
    test(`returns a text for ${name}`, () => {
      assert.equal(messageOf(error), message);
    });
  }
});

describe('codeOf()', () => {
  const thrown: readonly {readonly name: string; readonly error: unknown; readonly code: unknown}[] = [
    {name: 'an error with a code', error: Object.assign(new Error('x'), {code: 'EIO'}), code: 'EIO'},
    {name: 'an error with a number', error: Object.assign(new Error('x'), {code: -30_798}), code: -30_798},
    {name: 'an error without a code', error: new Error('ENOENT'), code: undefined},
    {name: 'a failure, whose code is not one of the system', error: new AppError({code: 'disk-full'}), code: undefined},
    {name: 'an object that is not an error', error: {code: 'ENOENT'}, code: undefined},
    {name: 'a string', error: 'ENOENT', code: undefined},
    {name: 'null', error: null, code: undefined},
    {name: 'undefined', error: undefined, code: undefined},
  ];
  for (const {name, error, code} of thrown) {
    test(`returns ${String(code)} for ${name}`, () => {
      assert.equal(codeOf(error), code);
    });
  }

  test('returns the code of an error of the operating system', async () => {
    const error = await readFile(new URL('no-such-file', import.meta.url)).catch((reason: unknown) => reason);
    assert.equal(codeOf(error), 'ENOENT');
  });

  test('returns the code of a class that inherits it', () => {
    class Refused extends Error {
      get code(): string {
        return 'ECONNREFUSED';
      }
    }
    assert.equal(codeOf(new Refused()), 'ECONNREFUSED');
  });
});
