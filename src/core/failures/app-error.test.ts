import assert from 'node:assert/strict';
import {inspect} from 'node:util';
import {describe, test} from 'vitest';
import {AppError, describeFailure} from './app-error.ts';
import type {Failure} from './failure.ts';

const FAILURE: Failure = {code: 'no-entry', key: 'a'};
const MESSAGE = 'Cannot find "a": no entry has this key';

describe('AppError', () => {
  test('is an error with the failure, and with its message', () => {
    const error = new AppError(FAILURE);
    assert.ok(error instanceof Error);
    assert.equal(error.failure, FAILURE);
    assert.equal(error.message, MESSAGE);
    assert.equal(String(error), `AppError: ${MESSAGE}`);
    assert.match(error.stack ?? '', /^AppError: Cannot find "a"|^Error: Cannot find "a"/);
  });

  test('has the message with which the failure was received, instead of the one from the table', () => {
    assert.equal(new AppError(FAILURE, {message: 'It is not here'}).message, 'It is not here');
    assert.equal(new AppError(FAILURE, {message: ''}).message, '');
  });

  test('has the cause that it is given, and otherwise none, so that logs do not show one', () => {
    const cause = new Error('EIO');
    assert.equal(new AppError(FAILURE, {cause}).cause, cause);
    assert.equal('cause' in new AppError(FAILURE), false);
    assert.equal('cause' in new AppError(FAILURE, {message: 'x'}), false);
    assert.match(inspect(new AppError(FAILURE, {cause})), /\[cause\]: Error: EIO/);
  });
});

describe('describeFailure()', () => {
  test('returns the message of the table', () => {
    assert.equal(describeFailure(FAILURE), MESSAGE);
  });

  for (const code of ['from-a-newer-version', 'constructor', 'toString', '__proto__']) {
    test(`returns the code ${code} if it has no message for it, as in a bundle for browsers`, () => {
      assert.equal(describeFailure({code} as unknown as Failure), code);
    });
  }

  test('returns one line, whatever line breaks the failure has', () => {
    const problem = 'Converting circular structure to JSON\n    --> starting at object\r\n    --- closes\rthe circle';
    assert.equal(
      describeFailure({code: 'malformed-request', problem}),
      'Cannot read the request: Converting circular structure to JSON --> starting at object --- closes the circle',
    );
  });
});
