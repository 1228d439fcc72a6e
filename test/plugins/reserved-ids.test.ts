import {expect, test} from 'vitest';
import {OPERATIONS} from '../../src/http/openapi/operations.ts';
import {isReservedId} from '../../src/plugins/manifest/reserved-ids.ts';

test('no plugin can have the name of a path of the service', () => {
  const names = Object.keys(OPERATIONS)
    .flatMap(path => /^\/api\/(?:plugins\/|settings\/)?([^/{]+)/.exec(path)?.[1] ?? [])
    .filter(name => !isReservedId(name));
  expect(names).toEqual([]);
});
