import {expect, test} from 'vitest';
import {describeReaders} from './check-session.ts';

test('the doctor does not promise on Windows that only this user can read the session', () => {
  expect(describeReaders('linux')).toBe('which only you can read');
  expect(describeReaders('win32')).toBe('which anyone can read who may read that directory');
});
