import assert from 'node:assert/strict';
import {chmod, mkdir, rm, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {makeHome} from '../../../test/support/package.ts';
import {IS_WINDOWS} from '../../../test/support/platform.ts';
import {manifestOf, type PluginFiles, writePlugin} from '../../../test/support/plugin-folder.ts';
import {PLUGIN_ID_FORM} from '../../core/domain/plugins/plugin-id.ts';
import {checkPlugin} from './check-plugin.ts';

const ID = 'com.example.a';

async function check(
  files: PluginFiles,
  spoil: (folder: string) => Promise<unknown> = async () => {},
): Promise<{readonly problems: readonly string[]; readonly warnings: readonly string[]}> {
  const folder = join(await makeHome(), ID);
  await writePlugin(folder, files);
  await spoil(folder);
  const {findings} = await checkPlugin(folder, '"a"');
  const [problems = [], warnings = []] = ['problem', 'warning'].map(each =>
    findings.filter(({level}) => level === each).map(({file = 'it', problem}) => `${file} ${problem}`),
  );
  return {problems, warnings};
}

/** Cases with modes and links, which are not those of Windows. */
const OF_POSIX = /others can change|link/;

describe('checkPlugin()', () => {
  const cases: readonly {
    readonly what: string;
    readonly files: PluginFiles;
    readonly spoil?: (folder: string) => Promise<unknown>;
    readonly problems?: readonly string[];
    readonly warnings?: readonly string[];
  }[] = [
    {what: 'a page', files: {'ui/index.html': ''}},
    {
      what: 'neither background nor page',
      files: {'ui/a.html': ''},
      problems: ['it has ui/ without index.html'],
    },
    {
      what: 'a background without its module',
      files: {'ui/index.html': '', 'background/main.js': ''},
      warnings: ['it has background/ without index.js'],
    },
    {
      what: 'no manifest, and files that others can change',
      files: {'background/index.js': ''},
      spoil: async folder => {
        await rm(join(folder, 'plugin.json'));
        await chmod(join(folder, 'background/index.js'), 0o666);
      },
      problems: [
        'it has no plugin.json',
        'it has background/index.js, which is writable by its group or by others; use "chmod -R go-w HOME/com.example.a"',
      ],
    },
    {
      what: 'a folder that others can change',
      files: {'ui/index.html': ''},
      spoil: folder => chmod(folder, 0o777),
      problems: ['it is writable by its group or by others; use "chmod -R go-w HOME/com.example.a"'],
    },
    {
      what: 'a way that others can change',
      files: {'ui/index.html': ''},
      spoil: folder => chmod(join(folder, '..'), 0o777),
      problems: ['it is reached through HOME, which is writable by its group or by others; use "chmod go-w HOME"'],
    },
    {
      what: 'a link out of it',
      files: {'ui/index.html': '', 'background/index.js': ''},
      spoil: folder => symlink('/etc/passwd', join(folder, 'background/x.js')),
      problems: [
        'it has background/x.js, which is a link out of the folder',
        'it cannot be packed, and its files were not read: "background/x.js" is a link',
      ],
    },
    {
      what: 'a file with the name of a device of Windows',
      files: {'ui/index.html': '', 'ui/aux.js': ''},
      problems: ['it cannot be packed, and its files were not read: "ui/aux.js" has the name of a device of Windows'],
    },
    {
      what: 'an id that Windows cannot have as a folder',
      files: {'plugin.json': manifestOf('nul.flights'), 'ui/index.html': ''},
      problems: [`plugin.json $.id has to be ${PLUGIN_ID_FORM}`],
    },
    {
      what: 'an id without a dot',
      files: {'plugin.json': manifestOf('core'), 'ui/index.html': ''},
      problems: [`plugin.json $.id has to be ${PLUGIN_ID_FORM}`],
    },
    {
      what: 'another id than its name',
      files: {'plugin.json': manifestOf('com.example.b'), 'ui/index.html': ''},
    },
  ];
  for (const {what, files, spoil, problems = [], warnings = []} of cases)
    test.skipIf(IS_WINDOWS && OF_POSIX.test(what))(`judges ${what}`, async () => {
      const checked = await check(files, spoil);
      const found = checked.problems.map(problem => problem.replace(/\/\S*crewroom-test-\w+/g, 'HOME'));
      assert.deepEqual({problems: found, warnings: checked.warnings}, {problems, warnings});
    });

  const missing = (module: string, file = 'background/index.js'): string =>
    `${file} loads ${JSON.stringify(module)}, and there is no such module`;
  const modules: readonly {readonly source: string; readonly problems?: readonly string[]}[] = [
    {source: `require('node:fs'); require('fs/promises'); require("path");`},
    {
      source: `const axios = require('axios'); require('effect/Option'); require('@tfdidesign/smartcars3-background-sdk');`,
    },
    {source: `require('./lib'); require('./data.json'); require('known');`},
    {source: `require('only-import');`},
    {source: `require('./nowhere'); require("nothing")`, problems: [missing('./nowhere'), missing('nothing')]},
    {source: `require ( 'spaced' )`, problems: [missing('spaced')]},
    {
      source: `import a from 'imported';\nexport * from "exported";`,
      problems: [missing('imported'), missing('exported')],
    },
    {source: `import {\n  a,\n} from 'lines';\nimport 'bare';`, problems: [missing('lines'), missing('bare')]},
    {source: `const a = await import('later');`, problems: [missing('later')]},
    {source: `require('./deep');`, problems: [missing('below', 'background/deep.js')]},
    {source: `try { a = require('optional') } catch { a = undefined }`},
    {
      source: `/* require('oldest') */\n/** @type {import('types')} */\n/* webpackIgnore: true */ require('new');`,
      problems: [missing('new')],
    },
    {source: `const text = "require('quoted')"; run(); // require('after')\n const x = \`import('template')\`;`},
    {source: `// require('old')\n/*\n * require('older')\n */`},
    {source: `const text = "it is from 'here'"; load.require('x' + y); prerequire('z');`},
  ];
  for (const {source, problems = []} of modules)
    test(`looks for the modules of ${JSON.stringify(source)}`, async () => {
      const files = {
        'background/index.js': source,
        'background/lib/index.js': '',
        'background/data.json': '{}',
        'background/deep.js': `require('below'); require('./index.js');`,
        'background/node_modules/known/index.js': `require('unknown');`,
        'background/node_modules/only-import/package.json': '{"exports": {"import": "./a.mjs"}}',
      };
      assert.deepEqual(await check(files), {problems, warnings: []});
    });

  test('warns about a module outside of the folder', async () => {
    const checked = await check({'background/index.js': `require('shared')`}, async folder => {
      await mkdir(join(folder, '..', 'node_modules', 'shared'), {recursive: true});
      await writeFile(join(folder, '..', 'node_modules', 'shared', 'index.js'), '');
    });
    const warning = 'background/index.js loads "shared" from outside of the folder, which is not installed with it';
    assert.deepEqual(checked, {problems: [], warnings: [warning]});
  });

  test.skipIf(IS_WINDOWS)('reads a folder behind a link', async () => {
    const home = await makeHome();
    await writePlugin(join(home, ID));
    await symlink(ID, join(home, 'link'));
    assert.deepEqual((await checkPlugin(join(home, 'link'), '"a"')).findings, []);
  });
});
