import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {SILENT_LOG} from './log.ts';

describe('SILENT_LOG', () => {
  for (const level of ['error', 'info', 'debug'] as const) {
    test(`discards a line of the level ${level} without reading its fields`, () => {
      const about = {
        get secret(): never {
          return assert.fail('read');
        },
      };
      assert.equal(SILENT_LOG[level]('message', about), undefined);
    });
  }
});
