import {expect, test} from 'vitest';
import {findReservation, isTakenCode} from './port-holder.ts';

const CASES = [
  {code: 'EADDRINUSE', platform: 'linux', taken: true, reserved: false},
  {code: 'EADDRINUSE', platform: 'win32', taken: true, reserved: false},
  {code: 'EACCES', platform: 'win32', taken: true, reserved: true},
  {code: 'EACCES', platform: 'linux', taken: false, reserved: false},
  {code: 'EADDRNOTAVAIL', platform: 'win32', taken: false, reserved: false},
] as const;

for (const {code, platform, taken, reserved} of CASES)
  test(`${code} on ${platform}: taken ${taken}, reserved ${reserved}`, () => {
    expect(isTakenCode(code, platform)).toBe(taken);
    const text = 'a reservation of Windows ("netsh int ipv4 show excludedportrange protocol=tcp" lists them)';
    expect(findReservation(code, platform)).toBe(reserved ? text : undefined);
  });
