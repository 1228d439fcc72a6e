import {expect, test} from 'vitest';
import {findBusy} from './pressure.ts';

const FULL = 'full avg10=0.00 avg60=0.00 avg300=0.00 total=0';

test('a machine whose programs wait for a core is busy', () => {
  expect(findBusy(`some avg10=23.57 avg60=0.00 avg300=0.00 total=1\n${FULL}`)).toContain('24%');
});

test('a machine on which little else runs is quiet, whatever it did minutes ago', () => {
  expect(findBusy(`some avg10=0.40 avg60=18.31 avg300=9.29 total=70260452\n${FULL}`)).toBe(undefined);
});

test('a system without pressure figures counts as quiet', () => {
  expect(findBusy(undefined)).toBe(undefined);
});
