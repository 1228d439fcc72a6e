import assert from 'node:assert/strict';
import {chmod, mkdir, readdir, readFile, symlink, writeFile} from 'node:fs/promises';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {zipOf} from '../support/zip.ts';
import {plain} from './crewroom.ts';
import {createPackageMachine, flagsFor, GOOD, ID, listPlaces, readVersion} from './plugin-packages.ts';

const machine = await createPackageMachine();
const {home, makeStopped, runFor, writeZip} = machine;

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

  test('shows what will run, and asks for confirmation', async () => {
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
    assert.deepEqual(await listPlaces(stopped), ['plugins']);
    const agreed = await runFor(stopped, ['install', zip], {onTerminal: true, input: 'y\n'});
    assert.equal(agreed.exitCode, 0);
    const shown = await runFor(stopped, ['install', zip], {onTerminal: true, input: '\n'});
    assert.match(plain(shown.stdout), /^com\.example\.a 1\.0\.0, in place of 1\.0\.0\n/);
    const json = await runFor(stopped, ['install', zip, '--json'], {onTerminal: true, input: 'n\n'});
    assert.match(plain(json.stdout), /Install it\? \[y\/N\] \{"declined":true\}\n$/);
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
    const zip = await writeZip('1.0.0');
    const running = machine.spawnOnTerminal(['plugin', 'install', zip, ...flagsFor(stopped)]);
    await running.until(({stdout}) => stdout.includes('[y/N]'));
    running.child.stdin.write('\u0003');
    assert.equal((await running.finished).exitCode, 130);
    assert.deepEqual(await listPlaces(stopped), ['plugins']);
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
    assert.deepEqual(await listPlaces(stopped), ['plugins']);
  });

  test('refuses a plugin without background and page', async () => {
    const stopped = await makeStopped('empty');
    const zip = join(home, 'empty.zip');
    await writeFile(zip, zipOf([{name: 'plugin.json', content: manifestOf(ID)}]));
    const {exitCode, stderr} = await runFor(stopped, ['install', zip, '--yes', '--json']);
    assert.equal(exitCode, 1);
    assert.deepEqual(JSON.parse(stderr).problems, [
      {path: '$', problem: 'has neither a background nor a page, or they are not built'},
    ]);
    assert.deepEqual(await listPlaces(stopped), ['plugins']);
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

  test('names a directory that cannot be checked', async () => {
    const stopped = await makeStopped('circle');
    await symlink(stopped.directory, stopped.directory);
    const {exitCode, stderr} = await runFor(stopped, ['install', await writeZip('1.0.0'), '--yes', '--json']);
    const {code, problem} = JSON.parse(stderr);
    assert.deepEqual([exitCode, code], [1, 'data-directory-unusable']);
    assert.match(problem, /^it cannot be checked: ELOOP/);
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

  test('stops if another program answers', async () => {
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
