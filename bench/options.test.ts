import {expect, test} from 'vitest';
import {flagsOf} from '../test/support/usage.ts';
import {USAGE} from './options.ts';

test('the usage text has a line for each flag', () => {
  expect(flagsOf(USAGE)).toEqual([
    'quick',
    'only',
    'no-peers',
    'peers',
    'data-dir',
    'memory-after',
    'json',
    'check',
    'help',
  ]);
  expect(USAGE).not.toContain('\u23ce');
});
