import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {chmod, chown, lchown, mkdir, symlink} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {makeHome} from '../../../test/support/package.ts';
import {IS_WINDOWS} from '../../../test/support/platform.ts';
import {ownUserId} from '../../core/files/own.ts';
import {describeExposures, exposuresOf, findAccessProblem, findPlaceProblem} from './access.ts';

const ME = 1000;
const OTHERS = 'is writable by its group or by others; use "chmod -R go-w /home/me/plugin"';

const FOLDER = '/home/me/plugin';
const BY_OTHERS = 'writable by its group or by others';

describe('describeExposures()', () => {
  const describeOne = (uid: number, mode: number): string | undefined =>
    describeExposures(exposuresOf(FOLDER, {uid, mode}, {userId: ME}), FOLDER, ME);
  const cases = [
    {what: 'a folder that only its user can change', uid: ME, mode: 0o040755, problem: undefined},
    {what: 'a folder of the superuser', uid: 0, mode: 0o040755, problem: undefined},
    {
      what: 'a folder of another user',
      uid: 1001,
      mode: 0o040700,
      problem: 'belongs to user 1001, and this process runs as 1000',
    },
    {what: 'a folder that its group can change', uid: ME, mode: 0o040775, problem: OTHERS},
    {what: 'a folder of the superuser that all can change', uid: 0, mode: 0o040777, problem: OTHERS},
    {what: 'a folder that all can change, with the sticky bit', uid: ME, mode: 0o041777, problem: OTHERS},
    {
      what: 'a folder of another user that all can change',
      uid: 1001,
      mode: 0o040777,
      problem: `belongs to user 1001, and this process runs as 1000, and ${OTHERS}`,
    },
  ];
  for (const {what, uid, mode, problem} of cases)
    test(`judges ${what}`, () => {
      assert.equal(describeOne(uid, mode), problem);
    });

  test.skipIf(IS_WINDOWS)('names all places at once, and every command', () => {
    const exposures = ['plugin.json', 'ui', 'ui/a', 'ui/b', 'ui/c', '../../..', '../..'].map(name => ({
      path: join(FOLDER, name).replace(/(?!^)[/]$/, ''),
      owner: undefined,
      isOpen: true,
    }));
    assert.equal(
      describeExposures(exposures, FOLDER, ME),
      `has plugin.json, ui, ui/a and 2 more, which are ${BY_OTHERS}, and is reached through / and /home, which are ${BY_OTHERS}; ` +
        `use "chmod -R go-w ${FOLDER} && chmod go-w / /home"`,
    );
  });

  test.skipIf(IS_WINDOWS)('quotes a path for a shell', () => {
    const folder = "/home/me/Ada's plugins";
    const problem = describeExposures(exposuresOf(folder, {uid: ME, mode: 0o100664}, {userId: ME}), folder, ME) ?? '';
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

  test.skipIf(IS_WINDOWS)('refuses a directory of another user', async () => {
    const home = await makeHome();
    const own = ownUserId() ?? 0;
    // The superuser is no other user.
    const problem = own === 0 ? undefined : `belongs to user ${own}, and this process runs as ${own + 1}`;
    assert.equal(await findAccessProblem(home, own + 1), problem);
  });

  test.skipIf(IS_WINDOWS)('refuses a directory if another user could replace one on its path', async () => {
    const home = await makeHome();
    await mkdir(join(home, 'own'), {mode: 0o700});
    for (const mode of [0o770, 0o707]) {
      await chmod(home, mode);
      const problem = `is reached through ${home}, which is writable by its group or by others; use "chmod go-w ${home}"`;
      assert.equal(await findAccessProblem(join(home, 'own')), problem);
    }
  });

  test.skipIf(IS_WINDOWS)('checks the path of a link, and the path of its target', async () => {
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
  test.skipIf(IS_WINDOWS)('checks the nearest existing directory', async () => {
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
