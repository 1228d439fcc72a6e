import assert from 'node:assert/strict';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {copyPlugin, manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {createMachine, plain} from './crewroom.ts';

const machine = await createMachine();
const {home} = machine;
const HELLO = 'com.example.hello';

describe('crewroom start, with plugins', () => {
  test('names them in the log, and logs their life', async () => {
    const dataDir = join(home, 'lived');
    await copyPlugin(HELLO, `${dataDir}-plugins`);
    await writePlugin(join(`${dataDir}-plugins`, 'com.example.wrong'), {
      'plugin.json': manifestOf('com.example.b'),
      'ui/index.html': '',
    });
    const service = await machine.start(['--data-dir', dataDir]);
    assert.deepEqual(
      (service.started['plugins'] as readonly {id: string; state: string}[]).map(({id}) => id),
      [HELLO, 'com.example.wrong'],
    );
    await service.until(({stderr}) => stderr.includes('"plugin started"'));
    const {stderr, exitCode} = await service.stop();
    assert.equal(exitCode, 0);
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Readonly<Record<string, unknown>>);
    const told = lines.map(({message, plugin}) => [message, ...(plugin === undefined ? [] : [plugin])].join(' '));
    // Its output and its messages come through two pipes.
    const own = `started for Ada, with … ${HELLO}`;
    assert.ok(told.includes(own));
    assert.deepEqual(
      told.filter(line => line !== own),
      [
        'plugin is broken com.example.wrong',
        'started',
        `plugin started ${HELLO}`,
        'stopping',
        `ended ${HELLO}`,
        `plugin stopped ${HELLO}`,
        'stopped',
      ],
    );
    const {reason} = lines.find(({message}) => message === 'plugin is broken') ?? {};
    assert.equal(reason, 'plugin.json: $.id has to be the name of the folder, "com.example.wrong"');
  });

  test('shows their number on a terminal, and each one that is broken with its reason', async () => {
    const work = join(home, 'work');
    await writePlugin(work, {'plugin.json': manifestOf('com.example.a', {name: 'A\u001b[31m'}), 'ui/index.html': ''});
    const missing = join(home, 'not\u001bthere');
    const args = ['start', '--port', '0', '--ephemeral', '--dev-plugin', work, '--dev-plugin', missing];
    const running = machine.spawnOnTerminal(args);
    await running.until(({stdout}) => stdout.includes('Ctrl+C'));
    assert.match(
      plain(running.said().stdout),
      /^ {2}Plugins {3}1\n {12}not\\u001bthere is broken: it does not exist\n {2}Console/m,
    );
    running.child.stdin.write('\u0003');
    await running.finished;
  });

  test('says nothing of them if there are none', async () => {
    const running = machine.spawnOnTerminal(['start', '--port', '0', '--ephemeral']);
    await running.until(({stdout}) => stdout.includes('Ctrl+C'));
    assert.doesNotMatch(running.said().stdout, /Plugins/);
    running.child.stdin.write('\u0003');
    await running.finished;
  });
});

describe('crewroom start --plugin-config', () => {
  const content = '{"privateAPI": "https://a.example/", "n": 1.0}';

  test('gives plugins its content', async () => {
    await writeFile(join(home, 'plugin-config.json'), content);
    const ways: readonly {
      readonly args?: readonly string[];
      readonly environment?: Readonly<Record<string, string>>;
    }[] = [
      {args: ['--plugin-config', 'plugin-config.json']},
      {environment: {CREWROOM_PLUGIN_CONFIG: join(home, 'plugin-config.json')}},
    ];
    for (const {args = [], environment = {}} of ways) {
      const service = await machine.start(['--ephemeral', ...args], {environment});
      assert.equal(await (await fetch(`${service.url}/api/config`)).text(), `{"config":${content}}`);
      await service.stop();
    }
  });

  test('is empty without it', async () => {
    const service = await machine.start();
    assert.equal(await (await fetch(`${service.url}/api/config`)).text(), '{"config":{}}');
    await service.stop();
  });

  const wrong = [
    {name: 'missing', problem: 'does not exist', content: undefined},
    {name: 'array', problem: 'is not a JSON object', content: '[]'},
  ];
  for (const {name, problem, content: written} of wrong)
    test(`names a file that is ${name}, and starts nothing`, async () => {
      const file = join(home, `${name}.json`);
      if (written !== undefined) await writeFile(file, written);
      const args = ['start', '--port', '0', '--data-dir', join(home, `not-${name}`), '--plugin-config', file, '--json'];
      const {exitCode, stderr} = await machine.runProcess(args);
      const {code, problems} = JSON.parse(stderr);
      assert.deepEqual([exitCode, code, problems[0].problem], [2, 'invalid-configuration', `${file} ${problem}`]);
    });
});

describe('crewroom paths', () => {
  test('names the directory of plugins', async () => {
    const paths = async (...args: readonly string[]): Promise<unknown> =>
      JSON.parse((await machine.run(['paths', '--json', ...args])).stdout).pluginsDir;
    assert.deepEqual(await paths(), {path: join(home, 'data', 'crewroom-plugins'), exists: false});
    assert.deepEqual(await paths('--plugins-dir', '.'), {path: home, exists: true});
  });
});

describe('crewroom config', () => {
  test('shows folders of plugins as absolute paths', async () => {
    const environment = {CREWROOM_DEV_PLUGINS: 'one, two', CREWROOM_PLUGINS_DIR: 'three'};
    const {stdout} = await machine.run(['config', '--json'], {environment});
    const {devPlugins, pluginsDir} = JSON.parse(stdout).settings;
    assert.deepEqual(
      [devPlugins.value, pluginsDir.value],
      [[join(home, 'one'), join(home, 'two')], join(home, 'three')],
    );
  });
});
