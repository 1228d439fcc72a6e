import {createHash} from 'node:crypto';
import {describe, expect, test} from 'vitest';
import {SecretHasher} from './token-hash.ts';

describe('SecretHasher', () => {
  test('hashes secrets of any length, each time to the same', () => {
    const hasher = new SecretHasher();
    for (const secret of ['a', '', 'a', 'b'.repeat(1000), 'a'])
      expect(Buffer.from(hasher.hash(secret))).toEqual(createHash('sha256').update(secret).digest());
  });

  test('keeps the hashes of the last 16 secrets, and no more', () => {
    const hasher = new SecretHasher();
    const secrets = Array.from({length: 16}, (_, index) => `secret ${index}`);
    const hashes = secrets.map(secret => hasher.hash(secret));
    const isKept = (index: number): boolean => hasher.hash(secrets[index] ?? '') === hashes[index];
    expect(secrets.map((_, index) => isKept(index))).toEqual(secrets.map(() => true));
    hasher.hash('another');
    expect([1, 15].map(isKept)).toEqual([true, true]);
    expect(isKept(0)).toBe(false);
    // Made room for the first one again.
    expect([2, 1].map(isKept)).toEqual([true, false]);
  });
});
