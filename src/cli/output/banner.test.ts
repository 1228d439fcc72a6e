import {expect, test} from 'vitest';
import {describeMode} from './banner.ts';

test('the banner says whose programs may call: on Linux those of this user, elsewhere those of all users', () => {
  expect(describeMode('open', 'linux')).toBe('open: programs and plugins of this user may do everything');
  for (const platform of ['win32', 'darwin'] as const)
    expect(describeMode('open', platform)).toBe(
      'open: programs and plugins of all users of this machine may do everything',
    );
});
