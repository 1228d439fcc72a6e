import picocolors from 'picocolors';
import {describe, expect, test} from 'vitest';
import {AppError} from '../../core/failures/app-error.ts';
import {createLog} from './log.ts';

function logOf(level: 'error' | 'info' | 'debug') {
  const lines: string[] = [];
  return {lines, log: createLog({level, write: text => lines.push(text), nowMs: () => 0})};
}

function parse(line: string | undefined): Record<string, unknown> {
  return JSON.parse(line ?? '') as Record<string, unknown>;
}

describe('createLog()', () => {
  test('writes a line of JSON: level, time, fields, message', () => {
    const {log, lines} = logOf('info');
    log.info('started', {port: 7172, urls: ['a'], none: undefined});
    expect(lines).toEqual([
      '{"level":"info","time":"1970-01-01T00:00:00.000Z","port":7172,"urls":["a"],"message":"started"}\n',
    ]);
  });

  test('breaks a long line for people between words, below the message', () => {
    const lines: string[] = [];
    const style = {...picocolors.createColors(false), columns: 44};
    const log = createLog({level: 'info', write: text => lines.push(text), nowMs: () => 0, style});
    log.info('the session was resumed at the back end', {scriptURL: 'https://air.example/', reason: 'its files'});
    expect(lines.join('')).toBe(
      '00:00:00  the session was resumed at the\n' +
        '          back end\n' +
        '          scriptURL=https://air.example/\n' +
        '          reason=its files\n',
    );
  });

  for (const [level, written] of [
    ['error', ['error']],
    ['info', ['error', 'info']],
    ['debug', ['error', 'info', 'debug']],
  ] as const)
    test(`writes ${written.join(', ')} at the level ${level}`, () => {
      const {log, lines} = logOf(level);
      for (const name of ['error', 'info', 'debug'] as const) log[name]('a message');
      expect(lines.map(line => parse(line)['level'])).toEqual(written);
    });

  test('writes an error with its members, its stack, and those of its causes', () => {
    const {log, lines} = logOf('error');
    const cause = Object.assign(new TypeError('no such file'), {code: 'ENOENT'});
    const error = new AppError({code: 'store-closed'}, {cause});
    log.error('internal error', {error});
    const {error: written} = parse(lines[0]);
    expect(written).toMatchObject({type: 'AppError', failure: {code: 'store-closed'}});
    const {message, stack} = Object(written);
    expect(message).toBe(`${error.message}: no such file`);
    expect(stack).toBe(`${error.stack}\ncaused by: ${cause.stack}`);
  });

  test('ends a circle of causes', () => {
    const {log, lines} = logOf('error');
    const error = new Error('first');
    error.cause = new Error('second', {cause: error});
    log.error('internal error', {error});
    expect(Object(parse(lines[0])['error']).message).toMatch(/^first: second: first/);
  });

  const unusual = [
    {name: 'a circle', value: circle(), written: {self: '[Circular]'}},
    {name: 'a number that JSON has not', value: 12n, written: 12},
  ];
  for (const {name, value, written} of unusual)
    test(`writes ${name}`, () => {
      const {log, lines} = logOf('info');
      log.info('a message', {value});
      expect(parse(lines[0])).toMatchObject({level: 'info', value: written, message: 'a message'});
    });
});

function circle(): object {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}
