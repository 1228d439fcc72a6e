import {expect, test} from 'vitest';
import {keyOf} from './repeat-request.ts';

for (const [path, key] of [
  ['/api/store/flight%2F1', 'flight/1'],
  ['/api/store/%66light%2f1?ttlSeconds=1', 'flight/1'],
  ['/api/store/%', undefined],
  ['/api/keys', undefined],
  // Cut by the service: its key has an unknown end.
  [`/api/store/${'a'.repeat(1010)}...`, undefined],
])
  test(`keyOf() of ${path?.slice(0, 40)} is ${key}`, () => {
    expect(keyOf({path: path ?? ''})).toBe(key);
  });
