import {expect, test} from 'vitest';
import {isPluginCall} from './plugin-call.ts';

for (const [path, isCall] of [
  ['/api/identity', true],
  ['/api/keys?prefix=a', true],
  ['/api/store/com.example.hello%2Fvolume', true],
  ['/api/com.example.hello/roll?sides=6', true],
  ['/api/hello/roll', true],
  // What our own commands ask, also without an origin.
  ['/api', false],
  ['/api/access/codes', false],
  ['/api/plugins', false],
  ['/api/session', false],
  ['/api/identity-of-none', false],
  ['/api/unknown/roll', false],
  ['/livez', false],
] as const)
  test(`${path} is ${isCall ? 'a' : 'no'} call as plugins make them`, () => {
    expect(isPluginCall(path, ['com.example.hello', 'hello'])).toBe(isCall);
  });
