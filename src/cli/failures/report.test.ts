import {expect, test} from 'vitest';
import {adviseOnDefect} from './report.ts';

test('a defect is to be reported only if there is a place for that', () => {
  expect(adviseOnDefect('https://example.com/issues')).toBe(
    'This is a bug in Crewroom; please report it with the lines below: https://example.com/issues',
  );
  expect(adviseOnDefect(undefined)).toBe('This is a bug in Crewroom');
});
