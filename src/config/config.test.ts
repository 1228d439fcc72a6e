import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {flagOf, shownFlagOf, variableOf} from './config.ts';

describe('the names of a setting', () => {
  test('are derived from one another', () => {
    assert.equal(flagOf('valueBytesMax'), '--value-bytes-max');
    assert.equal(variableOf('valueBytesMax'), 'CREWROOM_VALUE_BYTES_MAX');
  });

  test('have `no` in the flag that users need if the setting is on by default', () => {
    assert.equal(shownFlagOf('keep'), '--no-keep');
    assert.equal(shownFlagOf('ephemeral'), '--ephemeral');
  });
});
