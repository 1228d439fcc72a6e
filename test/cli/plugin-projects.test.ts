import assert from 'node:assert/strict';
import {readdir, rm, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, onTestFinished, test} from 'vitest';
import {openPackage} from '../../src/plugins/package/plugin-package.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {LAYOUTS, type PluginLayout} from '../support/plugin-layouts.ts';
import {plain} from './crewroom.ts';
import {createPackageMachine} from './plugin-packages.ts';

const machine = await createPackageMachine();
let projects = 0;

async function writeProject(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(machine.home, `project ${projects++}`);
  await writePlugin(folder, files);
  return folder;
}

function write({sources, built}: PluginLayout): Promise<string> {
  return writeProject({...sources, ...built});
}

async function listArchive(path: string): Promise<readonly string[]> {
  await using opened = await openPackage(path, '"a.zip"');
  return opened.files.map(file => file.path);
}

/** Starts `crewroom dev`, and waits until the plugin was started. */
async function develop(folder: string, ...args: readonly string[]): Promise<Development> {
  const running = machine.spawn(['dev', folder, '--json', '--port', '0', ...args]);
  onTestFinished(() => void running.child.kill('SIGKILL'));
  await running.until(({stdout}) => stdout.includes('\n'));
  const untilSaid = (text: string): Promise<void> => running.until(({stderr}) => stderr.includes(text));
  return {...JSON.parse(running.said().stdout), untilSaid};
}

interface Development {
  readonly url: string;
  readonly state: string;
  readonly reason?: string;
  untilSaid(text: string): Promise<void>;
}

for (const layout of LAYOUTS) {
  const {name, id, places, packed, sources} = layout;
  const hasBackground = packed.includes('background/index.js');
  const hasPage = packed.includes('ui/index.html');

  describe(`${name}, once it is built`, () => {
    test('dev runs the background and serves the page that were built, and says what it found', async () => {
      const {url, state, untilSaid} = await develop(await write(layout));
      assert.equal(state, hasBackground ? 'running' : 'page-only');
      for (const place of places) await untilSaid(`Found its ${place}`);
      const [route, page] = await Promise.all([fetch(`${url}/api/${id}/place`), fetch(`${url}/plugins/${id}/`)]);
      const [answer, shown] = [await route.text(), await page.text()];
      assert.deepEqual(
        [answer === '"built"', shown.includes('the built page')],
        [hasBackground, hasPage],
        answer + shown,
      );
    });

    test('check finds no problem, and says what it found', async () => {
      const {exitCode, stdout} = await machine.run(['plugin', 'check', await write(layout)]);
      assert.equal(exitCode, 0, stdout);
      assert.ok(stdout.includes(`found its ${places.join(', ')}\n`), stdout);
    });

    test('pack takes only its halves, and says what it found', async () => {
      const archive = join(machine.home, `${id}.zip`);
      const finished = await machine.run(['plugin', 'pack', await write(layout), '--output', archive]);
      assert.equal(finished.exitCode, 0, finished.stderr);
      assert.ok(finished.stderr.includes(`found its ${places.join(', ')}\n`), finished.stderr);
      assert.deepEqual((await listArchive(archive)).toSorted(), packed);
      await rm(archive);
    });

    test('install takes only its halves, and says what it found', async () => {
      const directory = join(machine.home, `plugins of ${id}`);
      const args = ['plugin', 'install', await write(layout), '--yes', '--json', '--plugins-dir', directory];
      const {stdout} = await machine.runOnTerminal(args.filter(arg => arg !== '--json'));
      const found = plain(stdout)
        .split(/\r?\n/)
        .filter(line => line.startsWith('  found its '));
      assert.deepEqual(
        found,
        places.map(place => `  found its ${place}`),
      );
      const finished = await machine.run(args);
      assert.equal(finished.exitCode, 0, finished.stderr);
      assert.ok('halves' in JSON.parse(finished.stdout), finished.stdout);
      const entries = await readdir(join(directory, id), {recursive: true, withFileTypes: true});
      const files = entries.filter(entry => entry.isFile());
      const paths = files.map(entry => join(entry.parentPath, entry.name).slice(join(directory, id).length + 1));
      assert.deepEqual(paths.map(path => path.replaceAll('\\', '/')).toSorted(), packed);
    });

    test('run starts it for a command, and says what it found', async () => {
      const folder = await write(layout);
      const finished = await machine.runProcess(['run', '--dev-plugin', folder, '--', process.execPath, '-e', '0']);
      assert.equal(finished.exitCode, 0, finished.stderr);
      assert.ok(finished.stderr.includes(`Plugin ${id}: found its ${places.join(', ')}\n`), finished.stderr);
    });
  });

  test(`${name}, before it is built: dev says how to build it and runs nothing of it unasked`, async () => {
    const {untilSaid} = await develop(await writeProject(sources));
    await untilSaid('which is not built');
    await untilSaid('Build it: ');
  });
}

describe('sources of a page', () => {
  const [vite, reactApp, , pictures] = LAYOUTS;

  test('tell dev how to start their dev server, with the port of their settings', async () => {
    const found: string[] = [];
    for (const layout of [vite, reactApp, pictures]) {
      assert.ok(layout !== undefined);
      const folder = await writeProject(layout.sources);
      const {untilSaid} = await develop(folder);
      const [script, port] = layout === reactApp ? ['start', 3000] : ['dev', layout === vite ? 5173 : 3000];
      const manager = layout === pictures ? 'pnpm' : 'npm --prefix ui';
      const place = layout === pictures ? folder : join(folder, 'ui');
      const adopt = layout === reactApp ? `crewroom plugin adopt '${folder}' && ` : '';
      const install = `${layout === pictures ? 'pnpm --dir' : 'npm --prefix'} '${place}' install`;
      const line = `${adopt}${install} && crewroom dev '${folder}' --ui http://localhost:${port} -- ${manager} run ${script}`;
      await untilSaid(`Show it with its dev server: ${line}`);
      found.push(line);
    }
    assert.equal(found.length, 3);
  });

  const servers = [
    {scripts: {serve: 'webpack serve', build: 'webpack'}, script: 'serve', port: 8080},
    {scripts: {serve: 'vite preview', start: 'vite --port 4000'}, script: 'start', port: 4000},
    {scripts: {serve: 'vite preview', start: 'vite', dev: 'vite --port=4001'}, script: 'dev', port: 4001},
  ];
  for (const {scripts, script, port} of servers)
    test(`tell dev to start ${script} of ${Object.keys(scripts).join(', ')}`, async () => {
      const folder = await writeProject({...vite?.sources, 'ui/package.json': JSON.stringify({scripts})});
      const {untilSaid} = await develop(folder);
      await untilSaid(`crewroom dev '${folder}' --ui http://localhost:${port} -- npm --prefix ui run ${script}`);
    });

  test('tell dev to run their scripts with npm if it has installed them, beside another lock file', async () => {
    const folder = await writeProject({
      ...pictures?.sources,
      'node_modules/.package-lock.json': '{}',
      'node_modules/.bin/vite': '',
    });
    const {untilSaid} = await develop(folder);
    await untilSaid(`Show it with its dev server: crewroom dev '${folder}' --ui http://localhost:3000 -- npm run dev`);
  });

  test('are a problem for check and pack, which say how to build them', async () => {
    const folder = await writeProject(vite?.sources ?? {});
    const {exitCode, stdout} = await machine.run(['plugin', 'check', folder]);
    assert.equal(exitCode, 6);
    const build = (half: string): string => {
      const [install, run] = ['install', 'run build'].map(args => `npm --prefix '${join(folder, half)}' ${args}`);
      return `         Build it: ${install} && ${run}`;
    };
    assert.deepEqual(stdout.split('\n'), [
      'com.example.vite 1.0.0: nothing, 1 file, 140 B',
      'problem  background/index.ts is the source of the background, which is not built',
      build('background'),
      'problem  ui/index.html is the source of the page, which is not built',
      build('ui'),
      '',
    ]);
    assert.ok(!stdout.includes('Build it again'));
    assert.equal((await machine.run(['plugin', 'pack', folder])).exitCode, 6);
  });

  test('are a problem beside a background that can run, which would be packed without its page', async () => {
    const folder = await writeProject(reactApp?.sources ?? {});
    const {exitCode, stderr} = await machine.run(['plugin', 'pack', folder]);
    assert.equal(exitCode, 6);
    assert.match(stderr, /problem {2}ui\/public\/index\.html is the source of the page, which is not built/);
  });

  test('are named with their script escaped, and none of it is run', async () => {
    const files = {...vite?.sources, 'ui/package.json': '{"scripts": {"dev": "touch \\u001b[31m"}}'};
    const folder = await writeProject(files);
    const running = machine.spawnOnTerminal(['dev', folder, '--port', '0', '--no-open']);
    onTestFinished(() => void running.child.kill('SIGKILL'));
    await running.until(({stdout}) => plain(stdout).includes('--prefix ui run dev'));
    assert.ok(!(await readdir(join(folder, 'ui'))).includes('node_modules'));
  });
});

describe('a folder with more than one plugin that was built', () => {
  const files = {
    'plugin.json': manifestOf('com.example.two'),
    'build/a/plugin.json': manifestOf('com.example.a'),
    'build/a/background/index.js': '',
    'build/b/plugin.json': manifestOf('com.example.b'),
    'build/b/ui/index.html': '',
  };
  const problem = `has more than one plugin that was built, ${join('build/a/plugin.json')} and ${join('build/b/plugin.json')}`;

  test('is refused with their names', async () => {
    const folder = await writeProject(files);
    for (const command of ['check', 'pack', 'install']) {
      const yes = command === 'install' ? ['--yes'] : [];
      const {exitCode, stdout, stderr} = await machine.run(['plugin', command, folder, ...yes]);
      assert.notEqual(exitCode, 0);
      assert.ok((stdout + stderr).includes(problem), stdout + stderr);
    }
    const run = await machine.run(['run', '--dev-plugin', folder, '--', 'true']);
    assert.ok(run.exitCode !== 0 && run.stderr.includes(problem), run.stderr);
  });

  test('is refused by dev with their names, until one is left', async () => {
    const folder = await writeProject(files);
    const {url, state, reason, untilSaid} = await develop(folder);
    assert.deepEqual([state, reason?.includes(problem)], ['broken', true], reason);
    await rm(join(folder, 'build/b'), {recursive: true});
    await untilSaid('plugin started');
    const plugins = (await (await fetch(`${url}/api/plugins/installed`)).json()) as readonly {readonly id: string}[];
    assert.ok(plugins.some(({id}) => id === 'com.example.a'));
  });

  test('can be named one by one', async () => {
    const folder = await writeProject(files);
    const {exitCode, stdout} = await machine.run(['plugin', 'check', join(folder, 'build/b')]);
    assert.deepEqual([exitCode, stdout.split('\n')[0]?.includes('com.example.b')], [0, true]);
  });
});

test.skipIf(process.platform === 'win32')('links to what was built are not followed', async () => {
  const outside = await writeProject({'ui/index.html': 'outside', 'background/index.js': ''});
  const folder = await writeProject({'plugin.json': manifestOf('com.example.links'), 'ui/package.json': '{}'});
  await symlink(outside, join(folder, 'dist'));
  await symlink(join(outside, 'ui'), join(folder, 'ui/dist'));
  await symlink(outside, join(folder, 'build'));
  const {exitCode, stdout} = await machine.run(['plugin', 'check', folder]);
  assert.equal(exitCode, 6);
  assert.match(stdout, /has ui\/ without index\.html/);
});

test('a page that lies in ui/ and loads no sources is used as it is, also beside other builds', async () => {
  const files = {
    'plugin.json': manifestOf('com.example.plain'),
    'ui/index.html': '<p>own',
    'ui/dist/index.html': '<p>other',
  };
  const {url} = await develop(await writeProject(files));
  assert.match(await (await fetch(`${url}/plugins/com.example.plain/`)).text(), /own/);
});

test('dev runs what a build writes later', async () => {
  const [vite] = LAYOUTS;
  assert.ok(vite !== undefined);
  const folder = await writeProject(vite.sources);
  const {url, state, untilSaid} = await develop(folder);
  assert.equal(state, 'not-built');
  await writePlugin(folder, {'plugin.json': vite.sources['plugin.json'] ?? '', ...vite.built});
  await untilSaid('plugin started');
  assert.equal(await (await fetch(`${url}/api/${vite.id}/place`)).json(), 'built');
  await writeFile(
    join(folder, 'background/build/index.js'),
    vite.built['background/build/index.js']?.replace("'built'", "'again'") ?? '',
  );
  await untilSaid('plugin stopped');
});
