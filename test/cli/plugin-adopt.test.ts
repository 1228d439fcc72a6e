import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdir, readdir, readFile, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, test} from 'vitest';
import {packNpmPackage} from '../../src/cli/npm/own-packages.ts';
import {VERSION} from '../../src/core/version.ts';
import {type PluginFiles, writePlugin} from '../support/plugin-folder.ts';
import {LAYOUTS} from '../support/plugin-layouts.ts';
import {createMachine, type Finished} from './crewroom.ts';

const machine = await createMachine();
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const UI = '@tfdidesign/smartcars3-ui-sdk';
const BACKGROUND = '@tfdidesign/smartcars3-background-sdk';
let projects = 0;

const FILES: PluginFiles = {
  'plugin.json':
    '{\n    "id": "com.example.old",\n    "name": "Old",\n    "version": "1.0.0",\n    "type": "airline",\n    "availableSettings": {"a": {"type": "string"}}\n}\n',
  'ui/package.json': `{\r\n\t"scripts": {"start": "react-scripts start"},\r\n\t"dependencies": {"${UI}" : "^0.10.4", "axios": "^1.3.4"}\r\n}`,
  'ui/package-lock.json': JSON.stringify(
    {
      lockfileVersion: 2,
      packages: {[`node_modules/${UI}`]: {version: '0.10.4'}, 'node_modules/axios': {version: '1.3.4'}},
      dependencies: {[UI]: {version: '0.10.4'}},
    },
    undefined,
    4,
  ),
  'background/package.json': `{"dependencies": {"${BACKGROUND}": "^0.9.2"}}`,
};

/** Writes a project that is committed. */
async function commit(files: PluginFiles = FILES): Promise<string> {
  const folder = join(machine.home, `project${projects++}`);
  await writePlugin(folder, files);
  const options = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    [...options, 'commit', '-qm', 'first'],
  ])
    execFileSync('git', args, {cwd: folder, env: {...process.env, HOME: machine.home}});
  return folder;
}

/** Unpacks this package as it is on the registry. @returns The path of its command line. */
async function installPublished(): Promise<string> {
  const {fileName, bytes} = await packNpmPackage(ROOT, {forRegistry: true});
  const home = join(machine.home, 'published');
  await mkdir(home);
  await writeFile(join(home, fileName), bytes);
  execFileSync('tar', ['-xzf', fileName], {cwd: home});
  await symlink(join(ROOT, 'node_modules'), join(home, 'node_modules'), 'junction');
  return join(home, 'package/dist/cli/main.js');
}

function adopt(folder: string, ...args: readonly string[]): Promise<Finished> {
  return machine.run(['plugin', 'adopt', folder, ...args]);
}

function read(folder: string, file: string): Promise<string> {
  return readFile(join(folder, file), 'utf8');
}

describe('crewroom plugin adopt', () => {
  test('gives the names of the older SDKs to packages that can be installed, and changes nothing else', async () => {
    const folder = await commit();
    const {exitCode, stdout} = await adopt(folder);
    assert.equal(exitCode, 0);
    assert.equal(
      await read(folder, 'ui/package.json'),
      FILES['ui/package.json']?.replace('"^0.10.4"', `"file:vendor/crewroom-ui-sdk-${VERSION}.tgz"`),
    );
    const dependencies = {[BACKGROUND]: `file:vendor/crewroom-background-sdk-${VERSION}.tgz`};
    assert.deepEqual(JSON.parse(await read(folder, 'background/package.json')), {dependencies});
    assert.ok(
      stdout.includes(`ui/package.json\n  - "${UI}" : "^0.10.4"\n  + "${UI}" : "file:vendor/crewroom-ui-sdk-`),
      stdout,
    );
    // No registry has the packages of a clone, so the project keeps them.
    assert.deepEqual(await readdir(join(folder, 'ui/vendor')), [`crewroom-ui-sdk-${VERSION}.tgz`]);
    assert.ok(stdout.includes(`background/vendor/crewroom-background-sdk-${VERSION}.tgz\n  + `), stdout);
  });

  test('names the packages of the registry if Crewroom itself came from there, and packs none', async () => {
    const main = await installPublished();
    const folder = await commit();
    const stdout = execFileSync(process.execPath, [main, 'plugin', 'adopt', folder], {encoding: 'utf8'});
    for (const [file, sdk, standIn] of [
      ['ui/package.json', UI, 'crewroom-ui-sdk'],
      ['background/package.json', BACKGROUND, 'crewroom-background-sdk'],
    ] as const) {
      const alias = `npm:${standIn}@^${VERSION}`;
      assert.equal(JSON.parse(await read(folder, file)).dependencies[sdk], alias);
      assert.ok(stdout.includes(`"${alias}"\n`), stdout);
    }
    assert.deepEqual(
      (await readdir(folder, {recursive: true})).filter(name => name.includes('vendor')),
      [],
    );
    assert.equal(execFileSync(process.execPath, [main, 'plugin', 'adopt', '--force', folder], {encoding: 'utf8'}), '');
  });

  test('makes npm forget the version of the lock file, and leaves the others', async () => {
    const folder = await commit();
    await adopt(folder);
    const lock = await read(folder, 'ui/package-lock.json');
    assert.deepEqual(JSON.parse(lock), {
      lockfileVersion: 2,
      packages: {'node_modules/axios': {version: '1.3.4'}},
      dependencies: {},
    });
    assert.ok(lock.startsWith('{\n    "lockfileVersion"'));
  });

  test('adds what the manifest lacks, so that check warns of nothing', async () => {
    const folder = await commit({...FILES, 'background/index.js': ''});
    assert.match((await machine.run(['plugin', 'check', folder])).stdout, /warning {2}plugin\.json/);
    await adopt(folder);
    const manifest = await read(folder, 'plugin.json');
    assert.deepEqual(JSON.parse(manifest), {
      ...{id: 'com.example.old', name: 'Old', version: '1.0.0', type: 'airline', description: ''},
      availableSettings: {a: {type: 'string', settingType: 'airline'}},
    });
    assert.ok(manifest.startsWith('{\n    "id"') && manifest.endsWith('}\n'));
    assert.doesNotMatch((await machine.run(['plugin', 'check', folder])).stdout, /plugin\.json \$/);
  });

  test('shows the changes with --dry-run, and writes nothing', async () => {
    const folder = await commit();
    await writeFile(join(folder, 'plugin.json'), `${FILES['plugin.json']}\n`);
    const {exitCode, stdout} = await adopt(folder, '--dry-run', '--json');
    assert.equal(exitCode, 0);
    const {changes, next} = JSON.parse(stdout);
    assert.deepEqual(
      changes.map(({file}: {readonly file: string}) => file),
      [
        'plugin.json',
        `ui/vendor/crewroom-ui-sdk-${VERSION}.tgz`,
        'ui/package.json',
        'ui/package-lock.json',
        `background/vendor/crewroom-background-sdk-${VERSION}.tgz`,
        'background/package.json',
      ],
    );
    assert.equal((await readdir(join(folder, 'ui'))).includes('vendor'), false);
    assert.deepEqual(next, ['npm --prefix ui install', 'npm --prefix background install']);
    assert.equal(await read(folder, 'ui/package.json'), FILES['ui/package.json']);
  });

  test('refuses files with changes that are not committed, unless it is forced', async () => {
    const folder = await commit();
    const changed = FILES['background/package.json']?.replace('{', '{ ') ?? '';
    await writeFile(join(folder, 'background/package.json'), changed);
    const refused = await adopt(folder);
    assert.equal(refused.exitCode, 1);
    assert.match(refused.stderr, /background\/package\.json.*it has changes that are not committed/);
    assert.match(refused.stderr, /--force/);
    assert.equal(await read(folder, 'ui/package.json'), FILES['ui/package.json']);
    assert.equal((await adopt(folder, '--force')).exitCode, 0);
    assert.match(await read(folder, 'background/package.json'), /crewroom-background-sdk/);
  });

  test('names packed files that git ignores, since the next clone would lack them', async () => {
    const packed = [
      `ui/vendor/crewroom-ui-sdk-${VERSION}.tgz`,
      `background/vendor/crewroom-background-sdk-${VERSION}.tgz`,
    ];
    const folder = await commit({...FILES, '.gitignore': '*.tgz\n'});
    assert.deepEqual(JSON.parse((await adopt(folder, '--dry-run', '--json')).stdout).ignoredFiles, packed);
    const {stderr} = await adopt(folder);
    assert.match(stderr, /^Git ignores ui\/vendor\/\S+\.tgz background\S+\.tgz, which other clones need: /);
    const [, advice = ''] = /"(git add --force .*)"/.exec(stderr) ?? [];
    execFileSync('sh', ['-c', advice], {cwd: folder});
    const added = execFileSync('git', ['ls-files', '--', ...packed], {cwd: folder, encoding: 'utf8'});
    assert.deepEqual(added.trim().split('\n').sort(), packed.toSorted());
    assert.equal((await adopt(await commit())).stderr, '');
  });

  test('leaves a packed file as it is, which projects of published plugins keep out of git', async () => {
    const folder = await commit({...FILES, '.gitignore': '*.tgz\n'});
    assert.equal((await adopt(folder)).exitCode, 0);
    execFileSync('git', ['checkout', '-q', '.'], {cwd: folder});
    const again = await adopt(folder);
    assert.equal(again.exitCode, 0, again.stderr);
    assert.ok(again.stdout.includes('ui/package.json'), again.stdout);
    assert.ok(!again.stdout.includes('bytes'), again.stdout);
    // Not what the project needs, and git could not give it back.
    await writeFile(join(folder, `ui/vendor/crewroom-ui-sdk-${VERSION}.tgz`), 'another');
    execFileSync('git', ['checkout', '-q', '.'], {cwd: folder});
    assert.match((await adopt(folder)).stderr, /vendor.*it has changes that are not committed/);
  });

  test('takes a folder without git, and has nothing to do the second time', async () => {
    const folder = join(machine.home, 'download');
    await writePlugin(folder, FILES);
    assert.equal((await adopt(folder)).exitCode, 0);
    const again = await adopt(folder);
    assert.deepEqual([again.exitCode, again.stdout], [0, '']);
  });

  test('refuses a folder without a manifest, and one whose manifest is not JSON', async () => {
    const none = await adopt(machine.home);
    assert.equal(none.exitCode, 1);
    assert.match(none.stderr, /has no plugin\.json/);
    const wrong = await adopt(await commit({'plugin.json': '{'}));
    assert.equal(wrong.exitCode, 1);
  });

  test('is refused nowhere among the layouts of published plugins', async () => {
    for (const {sources} of LAYOUTS) assert.equal((await adopt(await commit(sources))).exitCode, 0);
  });

  test('is named by dev, which needs none of it', async () => {
    const folder = await commit();
    const running = machine.spawn(['dev', folder, '--json', '--port', '0']);
    await running.until(({stderr}) => stderr.includes('crewroom plugin adopt'));
    running.child.kill('SIGTERM');
    await running.finished;
  });
});
