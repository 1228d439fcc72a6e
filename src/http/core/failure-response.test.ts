import {describe, expect, test} from 'vitest';
import {AppError} from '../../core/failures/app-error.ts';
import {statusOf} from '../../core/failures/facts.ts';
import {failureAnswer, toAppError} from './failure-response.ts';

describe('failureAnswer()', () => {
  test('creates a problem document with the members of the failure and of the standard', () => {
    const {status, rawHeaders, body} = failureAnswer(new AppError({code: 'no-entry', key: 'é'}), 'id-1');
    expect(status).toBe(404);
    expect(rawHeaders).toContain('application/problem+json; charset=utf-8');
    expect(rawHeaders).toContain(String(Buffer.byteLength(String(body))));
    expect(JSON.parse(String(body))).toEqual({
      type: '/docs/errors/no-entry',
      title: 'Not Found',
      status: 404,
      detail: 'Cannot find "é": no entry has this key',
      instance: 'id-1',
      advice: expect.any(String),
      code: 'no-entry',
      key: 'é',
    });
  });

  test('lists the allowed methods', () => {
    const error = new AppError({code: 'method-not-allowed', method: 'PUT', allowed: ['GET', 'HEAD']});
    const {rawHeaders} = failureAnswer(error, 'id');
    expect(rawHeaders.slice(-2)).toEqual(['Allow', 'GET, HEAD']);
  });

  test('has the words with which the failure was thrown', () => {
    const {body} = failureAnswer(new AppError({code: 'no-entry', key: 'a'}, {message: 'It is not here'}), 'id');
    expect(JSON.parse(String(body))).toMatchObject({code: 'no-entry', detail: 'It is not here'});
  });
});

describe('toAppError()', () => {
  test('returns an AppError as it is', () => {
    const error = new AppError({code: 'disk-full'});
    expect(toAppError(error, 'id')).toBe(error);
  });

  for (const thrown of [new Error('secret'), 'secret', undefined, null, {failure: {code: 'no-entry'}}]) {
    test(`converts ${String(thrown)} to internal, without its message`, () => {
      const {failure, message} = toAppError(thrown, 'id');
      expect([failure, message]).toEqual([
        {code: 'internal'},
        'Cannot answer: an internal error happened (request "id")',
      ]);
    });
  }

  test('converts failures that never cross HTTP too', () => {
    expect(toAppError(new AppError({code: 'unsafe-host', host: 'secret'}), 'id').failure).toEqual({code: 'internal'});
  });
});

test('a failure that never crosses HTTP has the status of a defect', () => {
  expect(statusOf({code: 'unsafe-host'})).toBe(500);
});
