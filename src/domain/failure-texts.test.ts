import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {FAILURES} from '../../test/support/sample-failures.ts';
import {AppError, describeFailure} from './app-error.ts';

describe('describeFailure()', () => {
  for (const failure of Object.values(FAILURES)) {
    test(`says what "${failure.code}" is in one line`, () => {
      const text = describeFailure(failure);
      assert.match(text, /^Cannot [^\n]+[^.\n]$/);
      assert.match(text, /: /, 'it names the action, a colon, and what is');
      assert.doesNotMatch(text, /undefined|null|\[object|NaN|n't/);
      for (const [name, value] of Object.entries(failure)) {
        // A hint is what to do, and so the advice.
        if (name === 'code' || name === 'hint' || typeof value === 'object') continue;
        const shown = typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : String(value);
        assert.ok(text.includes(shown) || text.includes(String(value)), `it leaves out ${name}: ${text}`);
      }
      assert.equal(new AppError(failure).message, text);
    });
  }

  test('tells every conflict, and what there is', () => {
    assert.equal(
      describeFailure(FAILURES['revision-conflict']),
      'Cannot change "a": expected revision 7, found revision 1; Cannot change "b": expected no entry, found revision 2; ' +
        'Cannot change "c": expected an entry, found no entry; ' +
        'Cannot change "d": expected a revision that no entry has, found revision 3; ' +
        'Cannot change "e": expected revision 4 or 5, found revision 6; ' +
        'Cannot change "f": expected revision 7 of another store or 8, found revision 7',
    );
  });

  test('names who uses an address where that is known', () => {
    const failure = {...FAILURES['address-in-use'], holder: 'node (process 12)'};
    assert.equal(describeFailure(failure), 'Cannot listen on 127.0.0.1:7172: node (process 12) uses the port');
  });
});
