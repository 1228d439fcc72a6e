import assert from 'node:assert/strict';
import {chmod, mkdir, readdir, readFile, symlink, utimes, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {openPackage} from '../../src/plugins/package/plugin-package.ts';
import {manifestOf, type PluginFiles, writePlugin} from '../support/plugin-folder.ts';
import {createPackageMachine} from './plugin-packages.ts';

const machine = await createPackageMachine();
const {home} = machine;

const FILES: PluginFiles = {
  'background/index.js': 'module.exports = {};',
  'background/node_modules/dep/index.js': 'module.exports = 1;',
  'background/run.sh': '#!/bin/sh',
  'ui/index.html': '<!doctype html>',
  'ui/assets/ü.js': 'let a = 1;',
};

/** Files of a project, which no package has. */
const OTHERS: PluginFiles = {
  'package.json': '{}',
  'src/index.ts': '',
  'node_modules/vite/index.js': '',
  'ui/.DS_Store': '',
  'background/.env': 'SECRET=1',
  'background/node_modules/.bin/x': '',
};

async function write(id: string, files: PluginFiles = FILES): Promise<string> {
  await writePlugin(join(home, id), files);
  return id;
}

async function listArchive(path: string): Promise<readonly string[]> {
  await using opened = await openPackage(path, '"a.zip"');
  return opened.files.map(file => file.path);
}

describe('crewroom plugin pack', () => {
  test('writes the manifest, the background and the page, and nothing else', async () => {
    const id = await write('com.example.all', {...FILES, ...OTHERS});
    const {exitCode, stdout, stderr} = await machine.run(['plugin', 'pack', id]);
    assert.deepEqual([exitCode, stdout, stderr], [0, 'com.example.all-1.0.0.zip\n', '']);
    const packed = ['plugin.json', ...Object.keys(FILES)].sort();
    assert.deepEqual(await listArchive(join(home, 'com.example.all-1.0.0.zip')), packed);
  });

  test('gives the same bytes for the same files, whatever their times, their order and the time zone are', async () => {
    const id = await write('com.example.same');
    await chmod(join(home, id, 'background/run.sh'), 0o700);
    const pack = async (file: string, zone: string): Promise<Buffer> => {
      const args = ['plugin', 'pack', id, '--output', file];
      const {exitCode, stderr} = await machine.runProcess(args, {environment: {TZ: zone}});
      assert.equal(exitCode, 0, stderr);
      return readFile(join(home, file));
    };
    const first = await pack('first.zip', 'Pacific/Auckland');
    await utimes(join(home, id, 'plugin.json'), 1e9, 1e9);
    await chmod(join(home, id, 'ui/index.html'), 0o644);
    const second = await pack('second.zip', 'America/Los_Angeles');
    assert.ok(first.equals(second));
  });

  test('keeps programs executable', async () => {
    const id = await write('com.example.program');
    await chmod(join(home, id, 'background/run.sh'), 0o700);
    await machine.run(['plugin', 'pack', id]);
    await using opened = await openPackage(join(home, `${id}-1.0.0.zip`), '"a.zip"');
    const programs = opened.files.filter(({isExecutable}) => isExecutable).map(({path}) => path);
    assert.deepEqual(programs, ['background/run.sh']);
  });

  test('can be installed, with the same files', async () => {
    const id = await write('com.example.round');
    await machine.run(['plugin', 'pack', id]);
    const places = await machine.makeStopped('round');
    const {exitCode, stderr} = await machine.runFor(places, ['install', `${id}-1.0.0.zip`, '--yes']);
    assert.equal(exitCode, 0, stderr);
    for (const [path, content] of Object.entries({...FILES, 'plugin.json': manifestOf(id)}))
      assert.equal(await readFile(join(places.directory, id, path), 'utf8'), content);
  });

  test('reports the sizes', async () => {
    const id = await write('com.example.sizes', {'ui/index.html': 'x'.repeat(2000)});
    const {stdout} = await machine.run(['plugin', 'pack', id, '--json']);
    const {sizeBytes, ...packed} = JSON.parse(stdout) as {readonly sizeBytes: number};
    assert.equal(sizeBytes, (await readFile(join(home, `${id}-1.0.0.zip`))).length);
    assert.deepEqual(packed, {
      ...{id, version: '1.0.0', file: join(home, `${id}-1.0.0.zip`), files: 2, findings: []},
      unpackedBytes: {background: 0, ui: 2000},
    });
    const shown = await machine.runOnTerminal(['plugin', 'pack', id]);
    assert.match(
      shown.stdout,
      /Packed com\.example\.sizes 1\.0\.0: 2 files, \d+ B \(background 0 B, ui 2\.0 KiB unpacked\)/,
    );
  });

  test('replaces an older archive, and makes a file name of any version', async () => {
    const id = await write('com.example.again', {
      ...FILES,
      'plugin.json': manifestOf('com.example.again', {version: '../2 beta'}),
    });
    const name = `${id}-..-2-beta.zip`;
    await writeFile(join(home, name), 'old');
    const {stdout} = await machine.run(['plugin', 'pack', id]);
    assert.equal(stdout, `${name}\n`);
    assert.ok((await listArchive(join(home, name))).includes('plugin.json'));
  });

  test('refuses what check calls a problem, and leaves an older archive alone', async () => {
    const id = await write('com.example.wrong', {'background/index.js': `require('nothing')`});
    await writeFile(join(home, `${id}-1.0.0.zip`), 'old');
    const {exitCode, stdout, stderr} = await machine.run(['plugin', 'pack', id]);
    assert.deepEqual([exitCode, stdout], [6, '']);
    assert.match(stderr, /"nothing".*\nNothing was packed\n$/s);
    assert.equal(await readFile(join(home, `${id}-1.0.0.zip`), 'utf8'), 'old');
  });

  test('refuses what could not be installed, and leaves nothing', async () => {
    const id = await write('com.example.linked');
    await symlink('index.js', join(home, id, 'background/link.js'));
    const linked = await machine.run(['plugin', 'pack', id]);
    assert.equal(linked.exitCode, 6);
    assert.match(linked.stderr, /"background\/link\.js" is a link/);
    const bomb = await write('com.example.bomb', {'ui/index.html': '', 'ui/zero.js': '0'.repeat(10_000_000)});
    const refused = await machine.run(['plugin', 'pack', bomb]);
    assert.equal(refused.exitCode, 1);
    assert.match(refused.stderr, /more than 100 times as large as the archive/);
    assert.deepEqual(
      (await readdir(home)).filter(name => /linked-|bomb-|\.com/.test(name)),
      [],
    );
  });

  test('refuses a background that needs a module of its project, which the archive lacks', async () => {
    const id = await write('com.example.project', {
      'background/index.js': `require('left-out');`,
      'node_modules/left-out/index.js': '',
    });
    assert.equal((await machine.run(['plugin', 'check', id])).exitCode, 0);
    const {exitCode, stderr} = await machine.run(['plugin', 'pack', id]);
    assert.equal(exitCode, 1);
    assert.match(
      stderr,
      /background\/index\.js loads "left-out", and there is no such module\nNothing was packed\. Modules/,
    );
    assert.deepEqual(
      (await readdir(home)).filter(name => /project-|\.com/.test(name)),
      [],
    );
  });

  test('names the archive that it cannot write', async () => {
    const id = await write('com.example.nowhere');
    const {exitCode, stderr} = await machine.run(['plugin', 'pack', id, '--output', 'none/a.zip']);
    assert.equal(exitCode, 1);
    assert.match(stderr, /^crewroom: Cannot write to "none\/a\.zip": ENOENT.*\nChoose a path/);
  });

  test('refuses the name of an archive that is something else on Windows, and only there', async () => {
    const args = ['plugin', 'pack', await write('com.example.device'), '--output', 'nul.zip'];
    const {exitCode, stderr} = await machine.run(args, {platform: 'win32'});
    assert.equal(exitCode, 1);
    assert.match(
      stderr,
      /^crewroom: Cannot write to "nul\.zip": it has the name of a device of Windows\nChoose a path/,
    );
    assert.equal((await machine.run(args)).exitCode, 0);
  });

  test('names a folder that does not exist', async () => {
    const {exitCode, stderr} = await machine.run(['plugin', 'pack', 'missing']);
    assert.equal(exitCode, 3);
    assert.match(stderr, /Cannot read "missing": it does not exist\nGive the path of the folder/);
    await mkdir(join(home, 'nothing'));
    const {exitCode: empty} = await machine.run(['plugin', 'pack', 'nothing']);
    assert.equal(empty, 6);
  });
});
