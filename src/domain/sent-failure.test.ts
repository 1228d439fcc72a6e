import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {FAILURES} from '../../test/support/sample-failures.ts';
import {STATUS_BY_CODE} from '../protocol/failure/failure-status.ts';
import {isSentFailure} from './sent-failure.ts';

describe('isSentFailure()', () => {
  for (const failure of Object.values(FAILURES)) {
    // The status of a session names a locked keychain; no request fails with it.
    const isSent = STATUS_BY_CODE[failure.code] !== undefined || failure.code === 'keychain-unavailable';
    test(`${isSent ? 'knows' : 'does not expect'} "${failure.code}" over HTTP`, () => {
      assert.equal(isSentFailure(JSON.parse(JSON.stringify(failure))), isSent);
    });
  }
});
