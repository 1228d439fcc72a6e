import {mkdir, mkdtemp, realpath, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {delimiter, isAbsolute, join, normalize} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {IS_WINDOWS} from '../../../test/support/platform.ts';
import {findPathProblem, findStableLink, findVersioned} from './autostart.ts';

const INSTALLED = {node: '/usr/bin/node', script: '/usr/lib/node_modules/crewroom/dist/cli/main.js'};

describe('findPathProblem()', () => {
  test('accepts what an installer puts in place', () => {
    expect(findPathProblem(INSTALLED, '/tmp')).toBeUndefined();
  });

  const refused = [
    {name: 'the cache of npx', script: '/home/ada/.npm/_npx/1f/node_modules/crewroom/dist/cli/main.js', said: /npx/},
    // Windows has that of the user only.
    ...(IS_WINDOWS ? [] : ['/tmp', '/private/var/tmp']).map(folder => ({
      name: `a directory for temporary files (${folder})`,
      script: `${folder}/a/main.js`,
      said: /temporary/,
    })),
    {name: 'that of this user', script: '/home/ada/tmp/main.js', said: /temporary/},
    {name: 'a link of fnm', script: '/home/ada/.local/state/fnm_multishells/1_2/bin/node', said: /fnm/},
    {name: 'a relative path', script: 'main.js', said: /absolute/},
    {name: 'a line break', script: '/home/a\nb/main.js', said: /control/},
    {name: 'a C1 control', script: '/home/a\u009bb/main.js', said: /control/},
    {name: 'a change of direction', script: '/home/a\u202eb/main.js', said: /control/},
  ];
  for (const {name, script: path, said} of refused) {
    test(`refuses ${name}, of the script and of Node`, () => {
      const [script, own] = [normalize(path), normalize('/home/ada/tmp')];
      expect(findPathProblem({...INSTALLED, script}, own)).toMatch(said);
      expect(findPathProblem({...INSTALLED, node: script}, own)).toMatch(said);
    });
  }
});

describe.skipIf(IS_WINDOWS)('findStableLink()', () => {
  for (const place of ['Cellar/node/22.14.0_1/bin', '.nvm/versions/node/v22.14.0/bin'])
    test(`finds a link to Node in ${place} that an update of Node keeps, and no other`, async () => {
      const home = await realpath(await mkdtemp(join(tmpdir(), 'crewroom-node-')));
      onTestFinished(() => rm(home, {recursive: true, force: true}));
      const [real, stable, other] = [join(home, place), join(home, 'bin'), join(home, 'other')];
      for (const folder of [real, stable, other]) await mkdir(folder, {recursive: true});
      const node = join(real, 'node');
      await writeFile(node, '');
      await writeFile(join(other, 'node'), '');
      const unusable = join(home, 'unusable');
      await mkdir(unusable);
      await symlink(node, join(unusable, 'node'));
      const path = ['', unusable, real, other, stable].join(delimiter);
      const find = (of: string) => findStableLink(of, path, link => isAbsolute(link) && !link.startsWith(unusable));
      expect(await find(node)).toBeUndefined();
      await symlink(node, join(stable, 'node'));
      expect(await find(node)).toBe(join(stable, 'node'));
      expect(await find(join(other, 'node'))).toBeUndefined();
    });
});

test('findVersioned() finds Node, or a script, in a folder that an update of Node removes', () => {
  const folder = '/home/ada/.nvm/versions/node/v22.14.0';
  const node = `${folder}/bin/node`;
  const script = `${folder}/lib/node_modules/crewroom/dist/cli/main.js`;
  const cases = [
    {program: INSTALLED, versioned: undefined},
    {program: {...INSTALLED, node}, versioned: node},
    {program: {...INSTALLED, script}, versioned: script},
    {
      program: {...INSTALLED, script: 'C:\\nvm\\v22.14.0\\node_modules\\main.js'},
      versioned: 'C:\\nvm\\v22.14.0\\node_modules\\main.js',
    },
    {program: {...INSTALLED, script: '/opt/crewroom-0.1.0-linux-x64/main.js'}, versioned: undefined},
  ];
  for (const {program, versioned} of cases) expect(findVersioned(program)).toBe(versioned);
});
