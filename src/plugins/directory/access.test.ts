import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {chmod, chown, lchown, mkdir, symlink} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {makeHome} from '../../../test/support/package.ts';
import {describeAccess, findAccessProblem, findPlaceProblem, ownUserId} from './access.ts';

const ME = 1000;
const OTHERS = 'is writable by its group or by others; use "chmod -R go-w /home/me/plugin"';

describe('describeAccess()', () => {
  const cases = [
    {what: 'a file that only its user can change', uid: ME, mode: 0o100644, problem: undefined},
    {what: 'a folder that only its user can change', uid: ME, mode: 0o040755, problem: undefined},
    {
      what: 'a file of another user',
      uid: 1001,
      mode: 0o100600,
      problem: 'belongs to user 1001, and this process runs as 1000',
    },
    {
      what: 'a file of the superuser',
      uid: 0,
      mode: 0o100600,
      problem: 'belongs to user 0, and this process runs as 1000',
    },
    {what: 'a file that its group can change', uid: ME, mode: 0o100664, problem: OTHERS},
    {what: 'a file that all can change', uid: ME, mode: 0o100602, problem: OTHERS},
    {what: 'a folder that all can change, with the sticky bit', uid: ME, mode: 0o041777, problem: OTHERS},
  ];
  for (const {what, uid, mode, problem} of cases)
    test(`judges ${what}`, () => {
      assert.equal(describeAccess({uid, mode}, ME, '/home/me/plugin'), problem);
    });

  test('quotes a path for a shell', () => {
    const folder = "/home/me/Ada's plugins";
    const problem = describeAccess({uid: ME, mode: 0o100664}, ME, folder) ?? '';
    const [, path = ''] = /chmod -R go-w (.*)"$/.exec(problem) ?? [];
    assert.equal(execFileSync('sh', ['-c', `printf %s ${path}`], {encoding: 'utf8'}), folder);
  });
});

describe('findAccessProblem()', () => {
  test('accepts a directory of this user, below one with the sticky bit', async () => {
    const home = await makeHome();
    await chmod(home, 0o1777);
    await mkdir(join(home, 'own'), {mode: 0o700});
    assert.equal(await findAccessProblem(join(home, 'own')), undefined);
  });

  test('refuses a directory of another user', async () => {
    const home = await makeHome();
    const own = ownUserId() ?? 0;
    assert.equal(await findAccessProblem(home, own + 1), `belongs to user ${own}, and this process runs as ${own + 1}`);
  });

  test('refuses a directory if another user could replace one on its path', async () => {
    const home = await makeHome();
    await mkdir(join(home, 'own'), {mode: 0o700});
    for (const mode of [0o770, 0o707]) {
      await chmod(home, mode);
      const problem = `is reached through ${home}, which is writable by its group or by others; use "chmod go-w ${home}"`;
      assert.equal(await findAccessProblem(join(home, 'own')), problem);
    }
  });

  test('checks the path of a link, and the path of its target', async () => {
    const home = await makeHome();
    for (const name of ['open', 'closed']) await mkdir(join(home, name, 'own'), {recursive: true, mode: 0o700});
    await symlink('../closed/own', join(home, 'open', 'link'));
    await symlink('../open/own', join(home, 'closed', 'link'));
    await chmod(join(home, 'open'), 0o777);
    const open = join(home, 'open');
    const problem = `is reached through ${open}, which is writable by its group or by others; use "chmod go-w ${open}"`;
    for (const link of ['open/link', 'closed/link'])
      assert.equal(await findAccessProblem(join(home, link)), problem, link);
  });

  test.skipIf(process.getuid?.() !== 0)('refuses a way through a directory or a link of another user', async () => {
    const home = await makeHome();
    await mkdir(join(home, 'theirs', 'own'), {recursive: true, mode: 0o700});
    await symlink('theirs', join(home, 'link'));
    await lchown(join(home, 'link'), 65_534, 65_534);
    const through = (path: string): string => `is reached through ${path}, which belongs to user 65534`;
    assert.equal(await findAccessProblem(join(home, 'link', 'own')), through(join(home, 'link')));
    await chown(join(home, 'theirs'), 65_534, 65_534);
    assert.equal(await findAccessProblem(join(home, 'theirs', 'own')), through(join(home, 'theirs')));
  });
});

describe('findPlaceProblem()', () => {
  test('checks the nearest existing directory', async () => {
    const home = await makeHome();
    const place = join(home, 'data', 'plugins');
    assert.equal(await findPlaceProblem(place), undefined);
    await chmod(home, 0o777);
    const problem = `is reached through ${home}, which is writable by its group or by others; use "chmod go-w ${home}"`;
    assert.equal(await findPlaceProblem(place), problem);
    assert.equal(await findPlaceProblem(join(home, 'plugins')), problem);
    await chmod(home, 0o1777);
    assert.equal(await findPlaceProblem(place), undefined);
  });

  test.skipIf(process.getuid?.() !== 0)('refuses a place in a directory of another user', async () => {
    const home = await makeHome();
    await chown(home, 65_534, 65_534);
    const problem = `is reached through ${home}, which belongs to user 65534`;
    assert.equal(await findPlaceProblem(join(home, 'data', 'plugins')), problem);
  });
});
