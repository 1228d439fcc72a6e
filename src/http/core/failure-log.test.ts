import {describe, expect, test} from 'vitest';
import type {LogFields} from '../../core/domain/log.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {type FailedRequest, FailureLog, REPEAT_PERIOD_MS, SUBJECTS_MAX} from './failure-log.ts';

/** Creates a log with a clock of the test, and collects the lines above `debug`. */
function make() {
  const lines: (readonly [string, string, LogFields])[] = [];
  const debugged: LogFields[] = [];
  const clock = {nowMs: 0};
  const to =
    (level: string) =>
    (message: string, about: LogFields = {}): void =>
      void lines.push([level, message, about]);
  const log = {
    error: to('error'),
    info: to('info'),
    debug: (_: string, about: LogFields = {}) => void debugged.push(about),
  };
  const failures = new FailureLog({log, nowMs: () => clock.nowMs});
  return {failures, lines, debugged, clock};
}

function request(path: string): FailedRequest {
  return {requestId: 'id-1', method: 'GET', path};
}

const NO_RESOURCE = new AppError({code: 'no-resource', path: '/x'});

describe('FailureLog', () => {
  test('logs a path that is requested each second once a minute, with a count', () => {
    const {failures, lines, clock} = make();
    for (let second = 0; second < 150; second++) {
      clock.nowMs = second * 1000;
      failures.report(NO_RESOURCE, request('/x'));
    }
    const about = {method: 'GET', path: '/x', code: 'no-resource', status: 404};
    const line = ['info', 'request refused', {requestId: 'id-1', ...about}];
    const count = ['info', 'request refused again', {...about, times: 59}];
    expect(lines).toEqual([line, count, line, count, line]);
    failures.flush();
    expect(lines.at(-1)).toEqual(['info', 'request refused again', {...about, times: 29}]);
    failures.flush();
    expect(lines).toHaveLength(6);
  });

  test('logs each repetition as debug, with its id', () => {
    const {failures, debugged} = make();
    failures.report(NO_RESOURCE, request('/x'));
    failures.report(NO_RESOURCE, {...request('/x'), requestId: 'id-2'});
    expect(debugged).toEqual([expect.objectContaining({requestId: 'id-2', path: '/x'})]);
  });

  test('logs failures of other subjects', () => {
    const {failures, lines} = make();
    failures.report(NO_RESOURCE, request('/x'));
    failures.report(NO_RESOURCE, request('/y'));
    failures.report(new AppError({code: 'method-not-allowed', method: 'PUT', allowed: []}), request('/x'));
    failures.report(NO_RESOURCE, {...request('/x'), method: 'PUT'});
    expect(lines).toHaveLength(4);
  });

  test('logs an origin once for all paths, with the flag that would allow it', () => {
    const {failures, lines} = make();
    for (let index = 0; index < 1000; index++)
      failures.report(
        new AppError({code: 'foreign-page', why: 'origin', origin: 'http://localhost:5173'}),
        request(`/api/store/${index}`),
      );
    expect(lines).toEqual([
      [
        'info',
        'request refused',
        expect.objectContaining({origin: 'http://localhost:5173', toAllow: '--allow-origin http://localhost:5173'}),
      ],
    ]);
  });

  for (const origin of [
    'null',
    'https://evil.example/path',
    'http://a b',
    '',
    'http://a&calc&.example',
    'http://$(id).example',
  ]) {
    test(`suggests no flag for ${JSON.stringify(origin)}`, () => {
      const {failures, lines} = make();
      failures.report(new AppError({code: 'foreign-page', why: 'origin', origin}), request('/api'));
      expect(lines).toEqual([['info', 'request refused', expect.not.objectContaining({toAllow: expect.anything()})]]);
    });
  }

  test('writes few lines for many different paths, and counts the rest', () => {
    const {failures, lines} = make();
    for (let index = 0; index < 100_000; index++) failures.report(NO_RESOURCE, request(`/${index}`));
    expect(lines).toHaveLength(SUBJECTS_MAX);
    failures.flush();
    expect(lines.slice(SUBJECTS_MAX)).toEqual([['info', 'other requests refused', {times: 100_000 - SUBJECTS_MAX}]]);
  });

  test('logs every defect, and no expected failure', () => {
    const {failures, lines} = make();
    const error = new Error('defect');
    for (const requestId of ['a', 'b'])
      failures.report(new AppError({code: 'internal'}), {...request('/x'), requestId, error});
    failures.report(new AppError({code: 'no-entry', key: 'k'}), request('/api/store/k'));
    failures.report(new AppError({code: 'no-plugin', plugin: 'com.example.a'}), request('/api/plugins/com.example.a'));
    expect(lines).toEqual([
      ['error', 'request failed', expect.objectContaining({requestId: 'a', error})],
      ['error', 'request failed', expect.objectContaining({requestId: 'b', error})],
    ]);
  });

  test('logs why the service failed, and why a request could not be read', () => {
    const {failures, lines, clock} = make();
    failures.report(new AppError({code: 'disk-full'}), request('/api/store/k'));
    failures.report(new AppError({code: 'malformed-request', problem: 'it is none'}), {requestId: 'id-1'});
    clock.nowMs = REPEAT_PERIOD_MS;
    failures.report(new AppError({code: 'malformed-request', problem: 'it is none'}), {requestId: 'id-1'});
    expect(lines).toEqual([
      ['error', 'request failed', expect.objectContaining({problem: expect.stringContaining('disk is full')})],
      ['info', 'request refused', expect.objectContaining({problem: 'Cannot read the request: it is none'})],
      ['info', 'request refused', expect.objectContaining({problem: 'Cannot read the request: it is none'})],
    ]);
  });
});
