import assert from 'node:assert/strict';
import {test} from 'vitest';
import {judgeVersion} from './assert-version.ts';

for (const [version, verdict] of [
  ['3.3.27', 'refused'],
  ['3.4.22', 'refused'],
  ['3.4.23', 'old'],
  ['3.5.21', 'old'],
  ['3.6.0', 'good'],
  ['3.10.1', 'good'],
  ['4.0.0-rc.1', 'good'],
  ['', 'refused'],
] as const) {
  test(`judges etcd ${JSON.stringify(version)} as ${verdict}`, () => {
    assert.equal(judgeVersion(version), verdict);
  });
}
