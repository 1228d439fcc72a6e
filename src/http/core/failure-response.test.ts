import {describe, expect, test} from 'vitest';
import {AppError} from '../../failures/app-error.ts';
import type {Failure} from '../../failures/failure.ts';
import {STATUS_BY_CODE, statusOf} from '../../failures/failure-status.ts';
import {failureAnswer, toFailure} from './failure-response.ts';

describe('failureAnswer()', () => {
  test('creates a problem document with the members of the failure and of the standard', () => {
    const {status, rawHeaders, body} = failureAnswer({code: 'no-entry', key: 'é'}, 'id-1');
    expect(status).toBe(404);
    expect(rawHeaders).toContain('application/problem+json');
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
    const {rawHeaders} = failureAnswer({code: 'method-not-allowed', method: 'PUT', allowed: ['GET', 'HEAD']}, 'id');
    expect(rawHeaders.slice(-2)).toEqual(['Allow', 'GET, HEAD']);
  });

  test('no failure has a member that the problem document has too', () => {
    const reserved = ['type', 'title', 'status', 'detail', 'instance', 'advice'];
    const failures: readonly Failure[] = [
      {code: 'invalid-key', key: '', problem: ''},
      {code: 'invalid-json', problem: '', position: 0},
      {code: 'value-too-deep', depthMax: 0, position: 0},
      {code: 'invalid-parameter', parameter: '', problem: ''},
      {code: 'invalid-header', header: '', problem: ''},
      {code: 'revision-conflict', conflicts: []},
      {code: 'too-many-connections', connectionsMax: 0},
      {code: 'too-many-subscribers', subscribersMax: 0},
      {code: 'subscriber-too-slow', cursor: '57'},
      {code: 'internal', requestId: ''},
    ];
    for (const failure of failures)
      expect(
        Object.keys(failure).filter(name => reserved.includes(name)),
        failure.code,
      ).toEqual([]);
  });
});

describe('toFailure()', () => {
  test('returns the failure of an AppError', () => {
    const failure = {code: 'disk-full'} as const;
    expect(toFailure(new AppError(failure), 'id')).toBe(failure);
  });

  for (const thrown of [new Error('secret'), 'secret', undefined, null, {failure: {code: 'no-entry'}}]) {
    test(`converts ${String(thrown)} to internal, without its message`, () => {
      expect(toFailure(thrown, 'id')).toEqual({code: 'internal', requestId: 'id'});
    });
  }

  test('converts failures that never cross HTTP too', () => {
    expect(toFailure(new AppError({code: 'unsafe-host', host: 'secret'}), 'id')).toEqual({
      code: 'internal',
      requestId: 'id',
    });
  });
});

test('every status is at least 400', () => {
  for (const status of Object.values(STATUS_BY_CODE)) expect(status ?? 400).toBeGreaterThanOrEqual(400);
  expect(statusOf({code: 'unsafe-host', host: ''})).toBe(500);
});
