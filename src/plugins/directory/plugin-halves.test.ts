import assert from 'node:assert/strict';
import {join} from 'node:path';
import {test} from 'vitest';
import {makeHome} from '../../../test/support/package.ts';
import {writePlugin} from '../../../test/support/plugin-folder.ts';
import {findHalves} from './plugin-halves.ts';

test('a folder of a page without its first file is a mistake, unless a dev server has the page', async () => {
  const folder = join(await makeHome(), 'com.example.icons');
  await writePlugin(folder, {'ui/menu_icon_dark.png': '', 'background/index.js': ''});
  assert.deepEqual((await findHalves(folder)).mistakes, [{path: '$', problem: 'has ui/ without index.html'}]);
  assert.deepEqual((await findHalves(folder, true)).mistakes, []);
});
