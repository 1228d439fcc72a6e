import assert from 'node:assert/strict';
import {test} from 'vitest';
import {CPU_TIME_MAX_MS, cpuTimeOf} from '../../test/support/cpu-time.ts';
import {readJsonDocument} from './json-document.ts';

/**
 * Documents of a profile's largest size in the most expensive shapes, which must be refused before they are converted.
 */
const REFUSED = {
  'arrays without end': () => '['.repeat(16 * 1024 * 1024),
  'objects without end': () => '{"a":'.repeat(3 * 1024 * 1024),
  'a list that is too long': () => `[${'{},'.repeat(5 * 1024 * 1024)}{}]`,
  'a list that is too long in another': () => `{"airline":{"plugins":[${'[],'.repeat(5 * 1024 * 1024)}[]]}}`,
  'names without end': () => `{${'"":0,'.repeat(3 * 1024 * 1024)}"":0}`,
} as const satisfies Record<string, () => string>;

for (const [name, make] of Object.entries(REFUSED)) {
  test(`a document of ${name} is refused before it is converted`, async () => {
    const bytes = Buffer.from(make());
    const costMs = await cpuTimeOf(() => assert.ok('problem' in readJsonDocument(bytes)));
    assert.ok(costMs < CPU_TIME_MAX_MS, `${costMs} ms`);
  });
}
