import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {SETTING_NAMES, SETTINGS, settingFlagOf, shownFlagOf, variableOf} from './config.ts';

describe('the names of a setting', () => {
  test('are derived from one another', () => {
    assert.equal(settingFlagOf('valueBytesMax'), '--value-bytes-max');
    assert.equal(variableOf('valueBytesMax'), 'CREWROOM_VALUE_BYTES_MAX');
  });

  test('are plural for a list, whose flag adds one value', () => {
    assert.equal(settingFlagOf('allowOrigins'), '--allow-origin');
    assert.equal(variableOf('allowOrigins'), 'CREWROOM_ALLOW_ORIGINS');
    assert.deepEqual(
      SETTING_NAMES.filter(name => SETTINGS[name].repeatable),
      SETTING_NAMES.filter(name => name.endsWith('s') && !['access', 'dailySnapshots'].includes(name)),
    );
  });

  test('have `no` in the flag that users need if the setting is on by default', () => {
    assert.equal(shownFlagOf('keepSession'), '--no-keep-session');
    assert.equal(shownFlagOf('ephemeral'), '--ephemeral');
  });
});
