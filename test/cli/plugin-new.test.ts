import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {mkdir, readdir, readFile, stat, symlink, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {promisify} from 'node:util';
import {describe, test} from 'vitest';
import {VERSION} from '../../src/core/version.ts';
import {createMachine, type Finished} from './crewroom.ts';

const machine = await createMachine();
const {home} = machine;
const ROOT = join(import.meta.dirname, '..', '..');

async function make(name: string, ...args: readonly string[]): Promise<Finished> {
  return machine.run(['plugin', 'new', name, ...args]);
}

async function readJson(path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(home, path), 'utf8')) as Record<string, unknown>;
}

describe('crewroom plugin new', () => {
  test('creates a plugin with an id, a name and a package of its own', async () => {
    const {exitCode, stdout, stderr} = await make('fuel-log');
    assert.deepEqual([exitCode, stdout], [0, '']);
    // In a pipe too.
    assert.match(
      stderr,
      /^Created com\.example\.fuel-log: \d+ files in .*\n {2}cd fuel-log\n {2}npm install\n {2}npm run dev\n$/,
    );
    const {id, name, availableSettings} = await readJson('fuel-log/plugin.json');
    assert.deepEqual(
      [id, name, Object.keys(availableSettings as object)],
      ['com.example.fuel-log', 'Fuel log', ['greeting']],
    );
    const {name: packageName, devDependencies, dependencies} = await readJson('fuel-log/package.json');
    assert.equal(packageName, 'fuel-log');
    // This clone is not on the registry.
    const [program, sdk] = ['crewroom', 'crewroom-background-sdk'].map(each => `file:vendor/${each}-${VERSION}.tgz`);
    assert.equal((devDependencies as Record<string, string>)['crewroom'], program);
    assert.deepEqual(dependencies, {'crewroom-background-sdk': sdk});
    assert.deepEqual(await readdir(join(home, 'fuel-log/vendor')), [
      `crewroom-${VERSION}.tgz`,
      `crewroom-background-sdk-${VERSION}.tgz`,
    ]);
    assert.match(await readFile(join(home, 'fuel-log/.gitignore'), 'utf8'), /^node_modules\/$/m);
    assert.match(await readFile(join(home, 'fuel-log/src/page/index.html'), 'utf8'), /<title>Fuel log<\/title>/);
    const icon = 'src/page/public/menu_icon_dark.png';
    const original = await readFile(new URL(`../../templates/plugin/${icon}`, import.meta.url));
    assert.deepEqual(await readFile(join(home, 'fuel-log', icon)), original);
  });

  test('leaves no name of the template', async () => {
    await make('own-names');
    const files = await readdir(join(home, 'own-names'), {recursive: true, withFileTypes: true});
    for (const file of files.filter(each => each.isFile() && !each.name.endsWith('.tgz'))) {
      const text = await readFile(join(file.parentPath, file.name), 'utf8');
      assert.doesNotMatch(text, /new.plugin|"0\.0\.0"/i, file.name);
    }
  });

  test('uses a name that contains one of the template as it is', async () => {
    await make('my-new-plugin');
    const {id, name} = await readJson('my-new-plugin/plugin.json');
    assert.deepEqual([id, name], ['com.example.my-new-plugin', 'My new plugin']);
    await make('pilots', '--id', 'org.new-plugin');
    assert.equal((await readJson('pilots/plugin.json'))['id'], 'org.new-plugin');
  });

  test('gives files to this user alone, whatever the umask is', async () => {
    const umask = process.umask(0o002);
    try {
      await make('umask');
    } finally {
      process.umask(umask);
    }
    for (const path of ['umask', 'umask/plugin.json', 'umask/src', 'umask/src/page/main.ts'])
      assert.equal((await stat(join(home, path))).mode & 0o022, 0, path);
  });

  test('has the types of the settings that its manifest has', async () => {
    await make('typed');
    const {stdout} = await machine.run(['plugin', 'types', 'typed']);
    assert.equal(await readFile(join(home, 'typed/src/settings.ts'), 'utf8'), stdout);
  });

  test('removes the error of a build that failed once one succeeds, also without its dev server', async () => {
    await make('built-again');
    const folder = join(home, 'built-again');
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
    await writeFile(join(folder, '.build-error'), 'src/background/index.ts:3:7: Unexpected');
    const vite = join(ROOT, 'node_modules', 'vite', 'bin', 'vite.js');
    await promisify(execFile)(process.execPath, [vite, 'build'], {cwd: folder});
    const names = await readdir(folder);
    assert.deepEqual([names.includes('.build-error'), names.includes('background')], [false, true]);
  });

  test('has a .gitignore that leaves out what is built, and no file of its own', async () => {
    const {stdout} = await make('cloned', '--json');
    const {directory, writtenFiles: files} = JSON.parse(stdout) as {
      readonly directory: string;
      readonly writtenFiles: readonly string[];
    };
    for (const built of [
      'background/index.js',
      'ui/index.html',
      'node_modules/a/index.js',
      '.build-error',
      'a-1.zip',
    ]) {
      await mkdir(dirname(join(directory, built)), {recursive: true});
      await writeFile(join(directory, built), '');
    }
    // Folders and files of authors that have the same names.
    const own = ['src/page/ui/list.ts', 'test/background/a.test.ts', 'test/files/flights.zip'];
    for (const file of own) {
      await mkdir(dirname(join(directory, file)), {recursive: true});
      await writeFile(join(directory, file), '');
    }
    const git = async (...args: readonly string[]): Promise<string> =>
      (await promisify(execFile)('git', args, {cwd: directory, env: {...process.env, HOME: home}})).stdout;
    await git('init', '--quiet');
    await git('add', '-A');
    assert.deepEqual((await git('ls-files')).trim().split('\n'), [...files, ...own].sort());
  });

  test('takes an id', async () => {
    const {exitCode, stdout} = await make('ours', '--id', 'org.pilots.ours', '--json');
    assert.equal(exitCode, 0);
    const made = JSON.parse(stdout) as {
      readonly id: string;
      readonly directory: string;
      readonly writtenFiles: string[];
    };
    assert.deepEqual([made.id, made.directory], ['org.pilots.ours', join(home, 'ours')]);
    assert.ok(made.writtenFiles.includes('src/page/index.html') && made.writtenFiles.includes('.gitignore'));
    assert.equal((await readJson('ours/plugin.json'))['id'], 'org.pilots.ours');
  });

  test('shows the next steps on a terminal', async () => {
    const {stdout} = await machine.runOnTerminal(['plugin', 'new', 'shown']);
    const steps = / {2}cd shown\r?\n {2}npm install\r?\n {2}npm run dev\r?\n/;
    assert.match(stdout, /Created com\.example\.shown: \d+ files in /);
    assert.match(stdout, steps);
  });

  test('fills an empty folder, and a new repository', async () => {
    await mkdir(join(home, 'empty', '.git'), {recursive: true});
    const {exitCode, stderr} = await machine.run(['plugin', 'new', '.'], {workingDirectory: join(home, 'empty')});
    assert.equal(exitCode, 0, stderr);
    assert.equal((await readJson('empty/plugin.json'))['id'], 'com.example.empty');
  });

  test('refuses a folder that is not empty, and changes nothing in it', async () => {
    await mkdir(join(home, 'full'));
    await writeFile(join(home, 'full', 'notes.txt'), 'mine');
    const {exitCode, stderr} = await make('full');
    assert.equal(exitCode, 4);
    assert.match(stderr, /Cannot write to "full": the folder is not empty: it has "notes\.txt"\nChoose another name/);
    assert.deepEqual(await readdir(join(home, 'full')), ['notes.txt']);
  });

  test('refuses a place that is a file', async () => {
    await writeFile(join(home, 'file'), '');
    const {exitCode, stderr} = await make('file');
    assert.equal(exitCode, 1);
    assert.match(stderr, /Cannot write to "file": it is not a folder/);
  });

  const refused = [
    {name: 'a name with capitals', args: ['MyPlugin'], said: /lower-case letters.*not "MyPlugin"/},
    {name: 'a name with a space', args: ['my plugin'], said: /such as my-plugin, not "my plugin"/},
    {name: 'a name with markup', args: ['<b>'], said: /not "<b>"/},
    {name: 'a name that npm reserves', args: ['node_modules'], said: /cannot be "node_modules"/},
    {name: 'a name that Windows reserves', args: ['con.plugin'], said: /cannot be "con.plugin"/},
    {
      name: 'an id that cannot be a path',
      args: ['a', '--id', 'com/example'],
      said: /--id is "com\/example" and has to be a domain of yours/,
    },
    {
      name: 'an id without a domain',
      args: ['a', '--id', 'Bad'],
      said: /--id is "Bad" and has to be a domain of yours .*com\.example\.hello: .* at least one dot/,
    },
    {name: 'no name', args: [], said: /new needs the name of a folder/},
    {name: 'an id for another action', args: ['list', '--id', 'a'], said: /list takes no --id/, action: ''},
  ];
  for (const {name, args, said, action = 'new'} of refused)
    test(`refuses ${name}`, async () => {
      const {exitCode, stderr} = await machine.run(['plugin', ...(action === '' ? [] : [action]), ...args]);
      assert.equal(exitCode, 2);
      assert.match(stderr, said);
      assert.ok(!(await readdir(home)).includes('a'));
    });
});

test('the template needs the versions of the tools that this package was tested with', async () => {
  const read = async (path: string): Promise<Record<string, Record<string, string>>> =>
    JSON.parse(await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')) as never;
  const {devDependencies: own = {}} = await read('package.json');
  const {devDependencies: template = {}} = await read('templates/plugin/package.json');
  const {crewroom, ...tools} = template;
  assert.equal(crewroom, '0.0.0');
  for (const [name, version] of Object.entries(tools)) assert.equal(version, own[name], name);
});
