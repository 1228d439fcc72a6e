import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {DEFAULT_LIMITS, limitsWith} from './limits.ts';

describe('limitsWith()', () => {
  test('replaces what is configured, and the longest line of an import that follows from it', () => {
    const settings = {valueBytesMax: 1000, valueDepthMax: 7, connectionsMax: 12};
    const importLineBytesMax = 3 * 1000 + 6 * 512 + 1024;
    assert.deepEqual(limitsWith(settings), {...DEFAULT_LIMITS, ...settings, importLineBytesMax});
  });
});
