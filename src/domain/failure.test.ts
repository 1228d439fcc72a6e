import assert from 'node:assert/strict';
import {test} from 'vitest';
import {FAILURES} from '../../test/support/sample-failures.ts';
import {STATUS_BY_CODE} from '../protocol/failure/failure-status.ts';

test('a failure has no member that a problem document has of its own, which would take its place', () => {
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
