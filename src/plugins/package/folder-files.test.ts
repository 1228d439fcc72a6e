import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readdir, rename, symlink, writeFile} from 'node:fs/promises';
import {join, sep} from 'node:path';
import {describe, test} from 'vitest';
import {makeHome, unpackAll} from '../../../test/support/package.ts';
import {IS_WINDOWS} from '../../../test/support/platform.ts';
import {manifestOf, writePlugin} from '../../../test/support/plugin-folder.ts';
import {openPackage, unpack} from './plugin-package.ts';

const ID = 'com.example.a';
const SIGNAL = new AbortController().signal;

describe('a folder', () => {
  test('is copied, whatever its name is, without its project, hidden files and links of packages', async () => {
    const home = await makeHome();
    const work = join(home, 'work');
    await writePlugin(work, {
      'plugin.json': manifestOf(ID),
      'background/index.js': 'x',
      'background/node_modules/x/plugin.json': '{}',
      'background/node_modules/.bin/y': '',
      'ui/index.html': '',
      'ui/.env': 'x',
      'src/index.ts': 'x',
      'node_modules/x/index.js': 'x',
      '.git/config': 'x',
    });
    if (!IS_WINDOWS) await symlink('../x', join(work, 'background/node_modules/.bin/x'));
    assert.equal(await unpackAll(work, join(home, ID)), undefined);
    assert.deepEqual(
      (await readdir(join(home, ID), {recursive: true}))
        .map(file => file.replaceAll(sep, '/'))
        .sort()
        .filter(file => /\.[a-z]+$/.test(file)),
      ['background/index.js', 'background/node_modules/x/plugin.json', 'plugin.json', 'ui/index.html'],
    );
  });

  const refused = [
    {
      what: 'a link',
      spoil: (work: string) => symlink('/etc/passwd', join(work, 'ui/x')),
      problem: /^"ui\/x" is a link$/,
    },
    {
      what: 'a pipe',
      spoil: async (work: string) => void execFileSync('mkfifo', [join(work, 'ui/x')]),
      problem: /^"ui\/x" is neither a file nor a folder$/,
    },
    {
      what: 'a name with a line break',
      spoil: (work: string) => writeFile(join(work, 'ui/a\nb'), ''),
      problem: /^"ui\/a\\nb" has a control character in its name$/,
    },
    {
      what: 'names that differ in case',
      spoil: (work: string) => writeFile(join(work, 'ui/Index.html'), ''),
      problem: / has a name that differs only in case from /,
    },
  ];
  for (const {what, spoil, problem} of refused) {
    // Links, pipes, and names that Windows does not have.
    test.skipIf(IS_WINDOWS)(`is refused with ${what}`, async () => {
      const home = await makeHome();
      await writePlugin(join(home, 'work'), {'plugin.json': manifestOf(ID), 'ui/index.html': ''});
      await spoil(join(home, 'work'));
      const failure = await unpackAll(join(home, 'work'), join(home, ID));
      assert.equal(failure?.code, 'invalid-package');
      assert.match(failure.problem, problem);
    });
  }

  const changes = [
    {what: 'grew', change: (file: string) => writeFile(file, 'more than before')},
    {what: 'became shorter', change: (file: string) => writeFile(file, '')},
  ];
  for (const {what, change} of changes) {
    test(`is refused if a file ${what} after it was listed`, async () => {
      const home = await makeHome();
      await writePlugin(join(home, 'work'), {'plugin.json': manifestOf(ID), 'ui/index.html': 'page'});
      await using opened = await openPackage(join(home, 'work'), '"work"');
      await change(join(home, 'work/ui/index.html'));
      await assert.rejects(unpack(opened.files, join(home, ID), SIGNAL), {
        failure: {code: 'invalid-package', source: '"work"', problem: '"ui/index.html" changed while it was read'},
      });
    });
  }

  test.skipIf(IS_WINDOWS)('is refused if a file became a link after it was listed', async () => {
    const home = await makeHome();
    await writePlugin(join(home, 'work'), {'plugin.json': manifestOf(ID), 'ui/index.html': 'page'});
    await using opened = await openPackage(join(home, 'work'), '"work"');
    await rename(join(home, 'work/ui/index.html'), join(home, 'page'));
    await symlink(join(home, 'page'), join(home, 'work/ui/index.html'));
    await assert.rejects(unpack(opened.files, join(home, ID), SIGNAL), /"ui\/index.html" cannot be read: ELOOP/);
  });
});
