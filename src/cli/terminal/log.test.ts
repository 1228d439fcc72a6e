import {describe, expect, test} from 'vitest';
import {AppError} from '../../failures/app-error.ts';
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
    {name: 'a circle', value: circle(), text: '[object Object]'},
    {name: 'a number that JSON has not', value: 12n, text: '12'},
  ];
  for (const {name, value, text} of unusual)
    test(`writes the text of ${name}`, () => {
      const {log, lines} = logOf('info');
      log.info('a message', {value});
      expect(parse(lines[0])).toMatchObject({level: 'info', value: text, message: 'a message'});
    });
});

function circle(): object {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}
