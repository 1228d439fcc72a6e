import assert from 'node:assert/strict';
import {test} from 'vitest';
import {FAILURES} from '../../test/support/sample-failures.ts';
import {STATUS_BY_CODE} from './failure-status.ts';

test('no failure has a member with the name of a standard member of a problem document', () => {
  const reserved = ['type', 'title', 'status', 'detail', 'instance', 'advice'];
  for (const failure of Object.values(FAILURES)) {
    if (STATUS_BY_CODE[failure.code] === undefined) continue;
    assert.deepEqual(
      Object.keys(failure).filter(name => reserved.includes(name)),
      [],
      failure.code,
    );
  }
});
