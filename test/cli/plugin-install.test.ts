import assert from 'node:assert/strict';
import {chmod, mkdir, readdir, readFile, stat, writeFile} from 'node:fs/promises';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {findFreePort} from '../support/free-port.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {changingIdentity, type PluginService, startPlugins} from '../support/plugin-service.ts';
import {zipOf} from '../support/zip.ts';
import {createMachine, type Finished, plain, type RunOptions} from './crewroom.ts';

const machine = await createMachine();
const {home} = machine;
const ID = 'com.example.a';
const GOOD = 'exports.routes = {get: {v: {handler: (_, res) => res.json(VERSION)}}};';

/** Writes an archive of a plugin. @returns Its path. */
async function writeZip(version: string, background = GOOD, members: object = {}): Promise<string> {
  const path = join(home, `a-${version}.zip`);
  const manifest = {name: 'plugin.json', content: manifestOf(ID, {version, ...members})};
  const module = {name: 'background/index.js', content: background.replace('VERSION', JSON.stringify(version))};
  await writeFile(path, zipOf([manifest, module]));
  return path;
}

/** Runs a command about plugins for a service. */
function runFor(
  {port, directory, dataDir}: Pick<PluginService, 'port' | 'directory' | 'dataDir'>,
  args: readonly string[],
  options: RunOptions & {readonly onTerminal?: boolean} = {},
): Promise<Finished> {
  const words = ['plugin', ...args, '--port', String(port), '--plugins', directory, '--data-dir', dataDir];
  return options.onTerminal ? machine.runOnTerminal(words, options) : machine.run(words, options);
}

async function readVersion({directory}: {readonly directory: string}): Promise<unknown> {
  return JSON.parse(await readFile(join(directory, ID, 'plugin.json'), 'utf8')).version;
}

/** Names in the directory of plugins and beside it, without the data directory. */
async function listPlaces({directory}: {readonly directory: string}): Promise<readonly string[]> {
  const beside = (await readdir(join(directory, '..'))).filter(name => name.startsWith('plugins'));
  return [...beside, ...(await readdir(directory).catch(() => []))];
}

/** Directories of a service that does not run. */
async function makeStopped(name: string): Promise<{port: number; directory: string; dataDir: string}> {
  await mkdir(join(home, name));
  return {port: await findFreePort(), directory: join(home, name, 'plugins'), dataDir: join(home, name, 'data')};
}

const EMPTY = (directory: string): Promise<unknown> => mkdir(directory, {mode: 0o700});

describe('crewroom plugin install, while the service runs', () => {
  test('starts a new plugin, and reports its state', async () => {
    const service = await startPlugins(EMPTY);
    const zip = await writeZip('1.0.0');
    const {exitCode, stdout, stderr} = await runFor(service, ['install', zip, '--yes', '--json']);
    assert.deepEqual([exitCode, stderr], [0, '']);
    const {sizeBytes, ...installed} = JSON.parse(stdout);
    assert.ok(sizeBytes > 100);
    const directory = join(service.directory, ID);
    assert.deepEqual(installed, {
      id: ID,
      version: '1.0.0',
      directory,
      files: 2,
      service: 'following',
      state: 'running',
    });
    assert.equal(await service.json(ID, 'v'), '1.0.0');
    assert.equal((await stat(directory)).mode & 0o777, 0o700);
    assert.deepEqual(await listPlaces(service), ['plugins', ID]);
  });

  test('replaces a version that runs, and keeps the files of its background', async () => {
    const service = await startPlugins(EMPTY);
    await runFor(service, ['install', await writeZip('1.0.0'), '--yes']);
    const {storagePath = ''} = service.crewroom.plugins.status(ID);
    await writeFile(join(storagePath, 'kept'), '');
    const {exitCode, stdout} = await runFor(service, ['install', await writeZip('1.1.0'), '--yes', '--json']);
    assert.equal(exitCode, 0);
    const {version, replaced, state} = JSON.parse(stdout);
    assert.deepEqual({version, replaced, state}, {version: '1.1.0', replaced: '1.0.0', state: 'running'});
    assert.equal(await service.json(ID, 'v'), '1.1.0');
    assert.deepEqual(await readdir(storagePath), ['kept']);
    assert.deepEqual(await listPlaces(service), ['plugins', ID]);
  });

  test('installs the same version again', async () => {
    const service = await startPlugins(EMPTY);
    for (const expected of [undefined, '1.0.0']) {
      const {stdout} = await runFor(service, ['install', await writeZip('1.0.0'), '--yes', '--json']);
      const {replaced, state} = JSON.parse(stdout);
      assert.deepEqual([replaced, state], [expected, 'running']);
    }
  });

  const wrong = [
    {
      what: 'does not load',
      background: `console.log('no wind'); throw new Error('broken');`,
      problem: /Error: broken \(background/,
    },
    {
      what: 'ends by itself',
      background: `console.log('no wind'); exports.onStart = () => process.exit(7);`,
      problem: /7/,
    },
  ];
  for (const {what, background, problem} of wrong) {
    test(`puts the old version back if the new one ${what}, with its last lines`, async () => {
      const service = await startPlugins(EMPTY);
      await runFor(service, ['install', await writeZip('1.0.0'), '--yes']);
      const zip = await writeZip('1.1.0', background);
      const {exitCode, stdout, stderr} = await runFor(service, ['install', zip, '--yes', '--json']);
      assert.deepEqual([exitCode, stdout], [1, '']);
      const failure = JSON.parse(stderr);
      assert.equal(failure.code, 'plugin-not-started');
      assert.deepEqual([failure.plugin, failure.version, failure.kept], [ID, '1.1.0', '1.0.0']);
      assert.match(failure.problem, problem);
      assert.ok(failure.lines.includes('no wind'), JSON.stringify(failure.lines));
      assert.equal(await readVersion(service), '1.0.0');
      await service.until(ID, ({state, version}) => state === 'running' && version === '1.0.0');
      assert.equal(await service.json(ID, 'v'), '1.0.0');
      assert.deepEqual(await listPlaces(service), ['plugins', ID]);
    });
  }

  test('shows the lines of a version that does not start, escaped', async () => {
    const service = await startPlugins(EMPTY);
    const zip = await writeZip('1.0.0', `console.log('no\\u001b[31mwind'); throw new Error('x');`);
    const {exitCode, stderr} = await runFor(service, ['install', zip, '--yes']);
    assert.equal(exitCode, 1);
    assert.match(
      stderr,
      /^crewroom: Cannot start version 1\.0\.0 of "com\.example\.a": .*; it was not installed\n {2}no\\u001b\[31mwind\n/,
    );
    assert.deepEqual(await listPlaces(service), ['plugins']);
  });

  test('leaves a plugin to wait for its pilot', async () => {
    const identity = changingIdentity();
    identity.change(undefined);
    const service = await startPlugins(EMPTY, {}, {openIdentity: async () => identity});
    const {exitCode, stdout} = await runFor(service, ['install', await writeZip('1.0.0'), '--yes'], {onTerminal: true});
    assert.equal(exitCode, 0);
    assert.match(plain(stdout), /\nInstalled com\.example\.a 1\.0\.0: it starts when a pilot signs in\n$/);
  });

  test('says that a plugin in development is in its place', async () => {
    const work = join(home, 'work');
    await writePlugin(work, {'plugin.json': manifestOf(ID), 'ui/index.html': ''});
    const service = await startPlugins(EMPTY, {plugin: [work]});
    const {exitCode, stdout} = await runFor(service, ['install', await writeZip('1.0.0'), '--yes', '--json']);
    assert.deepEqual([exitCode, JSON.parse(stdout).service], [0, 'in-development']);
    assert.equal(await readVersion(service), '1.0.0');
    assert.equal(service.crewroom.plugins.status(ID).directory, work);
  });

  test('puts the old version back when Ctrl+C ends the wait', async () => {
    const service = await startPlugins(EMPTY);
    await runFor(service, ['install', await writeZip('1.0.0'), '--yes']);
    const zip = await writeZip('1.1.0', 'for (;;);');
    const {port, directory, dataDir} = service;
    const places = ['--port', String(port), '--plugins', directory, '--data-dir', dataDir];
    const running = machine.spawnOnTerminal(['plugin', 'install', zip, '--yes', ...places]);
    await service.until(ID, ({version, state}) => version === '1.1.0' && state === 'starting');
    running.child.stdin.write('\u0003');
    assert.equal((await running.finished).exitCode, 130);
    assert.equal(await readVersion(service), '1.0.0');
    assert.deepEqual(await listPlaces(service), ['plugins', ID]);
  });

  test('says that the service has another directory', async () => {
    const service = await startPlugins(EMPTY);
    const other = {...service, directory: join(home, 'other', 'plugins')};
    const {exitCode, stdout} = await runFor(other, ['install', await writeZip('1.0.0'), '--yes'], {onTerminal: true});
    assert.equal(exitCode, 0);
    const where = `the service at http://127.0.0.1:${service.port} has another directory of plugins`;
    assert.ok(plain(stdout).endsWith(`\nInstalled ${ID} 1.0.0: checked only, and not started: ${where}\n`), stdout);
    assert.equal(await readVersion(other), '1.0.0');
  });
});

describe('crewroom plugin install, while no service runs', () => {
  test('checks the plugin, puts it in place, and says so', async () => {
    const stopped = await makeStopped('checked');
    const zip = await writeZip('1.0.0');
    const {exitCode, stdout} = await runFor(stopped, ['install', zip, '--yes', '--json']);
    assert.equal(exitCode, 0);
    assert.equal(JSON.parse(stdout).service, 'stopped');
    assert.deepEqual(await listPlaces(stopped), ['plugins', ID]);
    const again = await runFor(stopped, ['install', await writeZip('1.1.0'), '--yes'], {onTerminal: true});
    assert.match(
      plain(again.stdout),
      /\nInstalled com\.example\.a 1\.1\.0: checked only, and not started: no service runs\n$/,
    );
    assert.equal(await readVersion(stopped), '1.1.0');
  });

  test('installs a folder', async () => {
    const stopped = await makeStopped('folder');
    await writePlugin(join(home, 'folder', 'work'), {'plugin.json': manifestOf(ID), 'ui/index.html': '<p>'});
    const {exitCode} = await runFor(stopped, ['install', 'folder/work', '--yes'], {workingDirectory: home});
    assert.equal(exitCode, 0);
    assert.equal(await readFile(join(stopped.directory, ID, 'ui/index.html'), 'utf8'), '<p>');
  });

  test('shows what will run, and asks', async () => {
    const stopped = await makeStopped('asked');
    const zip = await writeZip('1.0.0', GOOD, {name: 'A\u001b[31m\u202e'});
    const {exitCode, stdout} = await runFor(stopped, ['install', zip], {onTerminal: true, input: 'n\n'});
    assert.equal(exitCode, 1);
    assert.equal(
      plain(stdout).replace(/\d+ B/, 'N B'),
      [
        'com.example.a 1.0.0',
        '  A\\u001b[31m\\u202e, a plugin for the user',
        '  background/index.js runs as you for as long as a pilot is signed in',
        `  2 files, N B, in ${join(stopped.directory, ID)}`,
        'Install it? [y/N] Nothing was installed\n',
      ].join('\n'),
    );
    assert.deepEqual(await listPlaces(stopped), []);
    const agreed = await runFor(stopped, ['install', zip], {onTerminal: true, input: 'y\n'});
    assert.equal(agreed.exitCode, 0);
    const shown = await runFor(stopped, ['install', zip], {onTerminal: true, input: '\n'});
    assert.match(plain(shown.stdout), /^com\.example\.a 1\.0\.0, in place of 1\.0\.0\n/);
  });

  test('asks only on a terminal', async () => {
    const stopped = await makeStopped('unasked');
    const {exitCode, stderr} = await runFor(stopped, ['install', await writeZip('1.0.0'), '--json'], {input: 'y\n'});
    assert.equal(exitCode, 2);
    assert.equal(JSON.parse(stderr).code, 'invalid-usage');
    assert.deepEqual(await listPlaces(stopped), []);
  });

  test('leaves nothing behind when Ctrl+C ends the question', async () => {
    const stopped = await makeStopped('interrupted');
    const args = [
      'plugin',
      'install',
      await writeZip('1.0.0'),
      '--port',
      String(stopped.port),
      '--plugins',
      stopped.directory,
    ];
    const running = machine.spawnOnTerminal(args);
    await running.until(({stdout}) => stdout.includes('[y/N]'));
    running.child.stdin.write('\u0003');
    assert.equal((await running.finished).exitCode, 130);
    assert.deepEqual(await listPlaces(stopped), []);
  });

  test('refuses a package whole, and leaves nothing behind', async () => {
    const stopped = await makeStopped('refused');
    const zip = join(home, 'refused.zip');
    await writeFile(
      zip,
      zipOf([{name: 'plugin.json', content: manifestOf(ID)}, {name: 'ui/index.html'}, {name: '../x'}]),
    );
    const {exitCode, stderr} = await runFor(stopped, ['install', zip, '--yes', '--json']);
    assert.equal(exitCode, 1);
    const {code, source, problem} = JSON.parse(stderr);
    assert.deepEqual(
      {code, source, problem},
      {code: 'invalid-package', source: JSON.stringify(zip), problem: '"../x" leads out of the folder'},
    );
    assert.deepEqual(await listPlaces(stopped), []);
    await writeFile(
      zip,
      zipOf([
        {name: 'plugin.json', content: manifestOf(ID)},
        {name: 'ui/index.html', crc: 1},
      ]),
    );
    assert.equal((await runFor(stopped, ['install', zip, '--yes'])).exitCode, 1);
    assert.deepEqual(await listPlaces(stopped), []);
  });

  test('refuses a plugin without background and page', async () => {
    const stopped = await makeStopped('empty');
    const zip = join(home, 'empty.zip');
    await writeFile(zip, zipOf([{name: 'plugin.json', content: manifestOf(ID)}]));
    const {exitCode, stderr} = await runFor(stopped, ['install', zip, '--yes', '--json']);
    assert.equal(exitCode, 1);
    assert.deepEqual(JSON.parse(stderr).problems, [
      {path: '$', problem: 'has neither background/index.js nor ui/index.html'},
    ]);
    assert.deepEqual(await listPlaces(stopped), []);
  });

  test('refuses an id that differs only in case from an installed one', async () => {
    const stopped = await makeStopped('twin');
    await writePlugin(join(stopped.directory, 'com.example.A'));
    const {exitCode, stderr} = await runFor(stopped, ['install', await writeZip('1.0.0'), '--yes', '--json']);
    assert.equal(exitCode, 1);
    const problem = 'differs only in case from "com.example.A", which is installed';
    assert.deepEqual(JSON.parse(stderr).problems, [{path: '$.id', problem}]);
    assert.deepEqual(await listPlaces(stopped), ['plugins', 'com.example.A']);
  });

  test('replaces a broken plugin', async () => {
    const stopped = await makeStopped('broken');
    await writePlugin(join(stopped.directory, ID), {'plugin.json': '{'});
    const {exitCode, stdout} = await runFor(stopped, ['install', await writeZip('1.0.0'), '--yes', '--json']);
    assert.equal(exitCode, 0);
    assert.equal(JSON.parse(stdout).replaced, '');
  });

  test('does not use a directory that another user could change', async () => {
    const stopped = await makeStopped('unsafe');
    await mkdir(stopped.directory);
    await chmod(stopped.directory, 0o777);
    const {exitCode, stderr} = await runFor(stopped, ['install', await writeZip('1.0.0'), '--yes', '--json']);
    assert.equal(exitCode, 1);
    assert.equal(JSON.parse(stderr).code, 'data-directory-unusable');
    assert.deepEqual(await listPlaces(stopped), ['plugins']);
    await chmod(join(home, 'unsafe'), 0o777);
    const missing = {...stopped, directory: join(home, 'unsafe', 'none', 'plugins')};
    const finished = await runFor(missing, ['install', await writeZip('1.0.0'), '--yes', '--json']);
    assert.deepEqual([finished.exitCode, JSON.parse(finished.stderr).code], [1, 'data-directory-unusable']);
    assert.deepEqual(await readdir(join(home, 'unsafe')), ['plugins']);
  });

  const named = [
    {what: 'a package that is not there', name: 'none.zip', exitCode: 3, code: 'unreadable-input'},
    {what: 'a package that is not a ZIP', name: 'plugin.txt', exitCode: 1, code: 'invalid-package'},
  ];
  for (const {what, name, exitCode, code} of named) {
    test(`names ${what}`, async () => {
      const stopped = await makeStopped(`named-${exitCode}`);
      await writeFile(join(home, 'plugin.txt'), 'x');
      const finished = await runFor(stopped, ['install', name, '--yes', '--json'], {workingDirectory: home});
      assert.deepEqual([finished.exitCode, JSON.parse(finished.stderr).code], [exitCode, code]);
    });
  }

  test('says that the disk cannot be written to', async () => {
    const stopped = await makeStopped('unwritable');
    await writeFile(join(home, 'unwritable', 'file'), '');
    const below = {...stopped, directory: join(home, 'unwritable', 'file', 'plugins')};
    const {exitCode, stderr} = await runFor(below, ['install', await writeZip('1.0.0'), '--yes', '--json']);
    assert.deepEqual([exitCode, JSON.parse(stderr).code], [1, 'unwritable-output']);
  });

  test('does not go on if another program answers', async () => {
    const stopped = await makeStopped('answered');
    const server = createServer(socket => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'));
    await new Promise<void>(resolve => server.listen(stopped.port, '127.0.0.1', resolve));
    try {
      const {exitCode, stderr} = await runFor(stopped, [
        'install',
        await writeZip('1.0.0'),
        '--yes',
        '--json',
        '--host',
        '127.0.0.1',
      ]);
      assert.deepEqual([exitCode, JSON.parse(stderr).code], [1, 'unexpected-answer']);
      assert.deepEqual(await listPlaces(stopped), []);
    } finally {
      server.close();
    }
  });
});
