import {expect, test} from 'vitest';
import {OPERATIONS} from '../../src/http/operations/operations.ts';
import {findReservedPath} from '../../src/plugins/manifest/reserved-ids.ts';

test('no plugin can have the name of a path of the service', () => {
  const names = Object.keys(OPERATIONS)
    .flatMap(path => /^\/api\/(?:plugins\/|settings\/)?([^/{]+)/.exec(path)?.[1] ?? [])
    .filter(name => findReservedPath(name) === undefined);
  expect(names).toEqual([]);
});

test('an id collides with the path that it would be in', () => {
  expect(['store', 'Core', 'installed', 'Crewroom', 'shared', 'com.example.a'].map(findReservedPath)).toEqual([
    '/api/store',
    '/api/settings/core',
    '/api/plugins/installed',
    '/api/store/crewroom%2Fsettings',
    '/api/store/shared',
    undefined,
  ]);
});
