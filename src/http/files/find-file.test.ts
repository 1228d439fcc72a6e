import {mkdir, mkdtemp, realpath, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {IS_WINDOWS} from '../../../test/support/platform.ts';
import {findFile} from './file-answer.ts';

let base: string;
let directory: string;

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'crewroom-find-file-')));
  directory = join(base, 'ui');
  await mkdir(join(directory, 'assets'), {recursive: true});
  await mkdir(join(base, 'ui-secret'));
  await writeFile(join(directory, 'assets', 'a b.js'), '');
  await writeFile(join(directory, 'ümläut.css'), '');
  await writeFile(join(directory, '..data'), '');
  await writeFile(join(base, 'secret'), '');
  await writeFile(join(base, 'ui-secret', 'x'), '');
  await symlink(join(directory, 'assets', 'a b.js'), join(directory, 'inside.js'));
  await symlink(join(base, 'secret'), join(directory, 'outside'));
  await symlink(join(base, 'ui-secret'), join(directory, 'beside'));
});

afterAll(() => rm(base, {recursive: true}));

describe('findFile()', () => {
  const found = [
    {path: 'assets/a%20b.js', file: 'assets/a b.js'},
    {path: 'assets', file: 'assets'},
    {path: '%C3%BCml%C3%A4ut.css', file: 'ümläut.css'},
    {path: '..data', file: '..data'},
    // Wine makes links, but Node does not follow them there.
    ...(IS_WINDOWS ? [] : [{path: 'inside.js', file: 'assets/a b.js'}]),
  ];
  for (const {path, file} of found) {
    test(`finds ${path}`, async () => {
      expect(await findFile(directory, path)).toBe(join(directory, file));
    });
  }

  for (const path of [
    '',
    '..',
    '../secret',
    '%2e%2e/secret',
    '..%2fsecret',
    '%2e%2e%2fsecret',
    '..%5csecret',
    'assets/../../secret',
    'assets/%2E%2E/%2E%2E/secret',
    'assets//a%20b.js',
    'assets/',
    './assets',
    '/etc/passwd',
    '%2fetc%2fpasswd',
    'C:%5Cwindows',
    'assets%00',
    'assets/a%20b.js%00.css',
    '%',
    '%ff',
    '%c0%ae%c0%ae/secret',
    'outside',
    'beside/x',
    'nosuch',
    `${'a'.repeat(5000)}`,
    'assets/a%2520b.js',
  ]) {
    test(`finds nothing at ${JSON.stringify(path.slice(0, 40))}`, async () => {
      expect(await findFile(directory, path)).toBeUndefined();
    });
  }
});
