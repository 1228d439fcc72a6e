import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {DEFAULT_EVENT_KINDS, EVENT_KINDS, type EventKind} from './event.ts';

/** True if a subscriber receives a kind that names none; a new kind does not compile until it is here. */
const BY_DEFAULT: {readonly [K in EventKind]: boolean} = {
  'entry-written': true,
  'entry-deleted': true,
  'entry-expired': true,
  'identity-changed': true,
  reset: true,
  'initial-ended': true,
  'plugin-state': false,
  'plugin-log': false,
  'client-request': false,
};

describe('the kinds of events', () => {
  for (const [kind, isDefault] of Object.entries(BY_DEFAULT) as [EventKind, boolean][]) {
    test(`${kind} is delivered ${isDefault ? 'to all subscribers' : 'only to subscribers that name it'}`, () => {
      assert.equal(EVENT_KINDS.has(kind), true);
      assert.equal(DEFAULT_EVENT_KINDS.has(kind), isDefault);
    });
  }

  test('are these and no others', () => {
    assert.deepEqual([...EVENT_KINDS], Object.keys(BY_DEFAULT));
  });
});
