import assert from 'node:assert/strict';
import {join} from 'node:path';
import {beforeAll, describe, test} from 'vitest';
import type {Config} from '../../src/platform/config/config.ts';
import {findFreePort} from '../support/free-port.ts';
import {copyPlugin, manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {untilRunning} from '../support/plugin-service.ts';
import {startService, type TestService, useService} from '../support/service.ts';
import {createMachine, type Finished, plain, type RunOptions} from './crewroom.ts';

const machine = await createMachine();
const {home} = machine;
const plugins = join(home, 'plugins');
const HELLO = 'com.example.hello';
const BROKEN = 'com.example.broken';
const LOUD = 'com.example.loud';

beforeAll(async () => {
  await copyPlugin(HELLO, plugins);
  await writePlugin(join(plugins, BROKEN), {'plugin.json': manifestOf(BROKEN, {version: 1}), 'ui/index.html': ''});
  const source = `console.log('one\\u001b[31m\\u202e'); console.error('two');`;
  await writePlugin(join(plugins, LOUD), {
    'plugin.json': manifestOf(LOUD, {version: '1\u001b[31m'}),
    'background/index.js': source,
  });
});

// Started after the plugins are written, so that it does not have to notice them.
const service = useService({ephemeral: true, pluginsDir: plugins});

beforeAll(async () => {
  await service().crewroom.plugins.ready();
  for (const id of [HELLO, LOUD]) await untilRunning(service().crewroom.plugins, id);
});

function run(args: readonly string[], options: RunOptions & {readonly onTerminal?: boolean} = {}): Promise<Finished> {
  const words = ['plugin', ...args, '--port', String(service().port)];
  return options.onTerminal ? machine.runOnTerminal(words, options) : machine.run(words, options);
}

/** Starts another service in memory, and waits until it has read its plugins. */
async function startOther(options: Partial<Config>): Promise<TestService> {
  const other = await startService({ephemeral: true, ...options});
  await other.crewroom.plugins.ready();
  return other;
}

function readLines(stdout: string): readonly Readonly<Record<string, unknown>>[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));
}

describe('crewroom plugin list', () => {
  test('prints the same table into a pipe, without colours', async () => {
    const {exitCode, stdout, stderr} = await run(['list']);
    const lines = stdout.split('\n').map(line => line.replace(/ +/g, ' '));
    assert.deepEqual([exitCode, stderr, lines[0]], [0, '', 'ID VERSION STATE MEMORY ROUTES']);
    assert.match(lines[2] ?? '', new RegExp(`^${HELLO} 1\\.2\\.3 running `));
    assert.doesNotMatch(stdout, /\u001b/);
  });

  test('prints a document for each plugin as JSON', async () => {
    const {exitCode, stdout} = await run(['list', '--json']);
    assert.equal(exitCode, 0);
    assert.deepEqual(
      readLines(stdout).map(({id, state, reason, version}) => ({id, state, reason, version})),
      [
        {
          id: BROKEN,
          state: 'broken',
          reason: 'plugin.json: $.version has to be a string that is not empty',
          version: '',
        },
        {id: HELLO, state: 'running', reason: undefined, version: '1.2.3'},
        {id: LOUD, state: 'running', reason: undefined, version: '1\u001b[31m'},
      ],
    );
    assert.ok(!stdout.includes('\u001b'));
  });

  test('shows a table, reasons and warnings on a terminal, escaped', async () => {
    const {exitCode, stdout} = await run(['list'], {onTerminal: true, columns: 100});
    assert.equal(exitCode, 0);
    const lines = plain(stdout)
      .replace(/ +/g, ' ')
      // The memory may not be measured yet.
      .replace(/running (?:\d+\.\d MiB|-)/g, 'running N')
      .trimEnd()
      .split('\n');
    assert.deepEqual(
      lines.map(line => line.trimEnd()),
      [
        'ID VERSION STATE MEMORY ROUTES',
        `${BROKEN} - broken - 0`,
        `${HELLO} 1.2.3 running N 5`,
        `${LOUD} 1\\u001b[31m running N 0`,
        `! ${BROKEN}: plugin.json: $.version has to be a string that is not empty`,
        `! ${HELLO}: it is made for the airline 7172 or acme, and the airline of the pilot is 7`,
        '"crewroom plugin logs ID" shows the log of one, "crewroom console" shows all in a browser',
      ],
    );
  });

  test('names the reason why the directory is not used', async () => {
    await using other = await startOther({pluginsDir: join(plugins, HELLO)});
    const {exitCode, stdout, stderr} = await machine.run(['plugin', 'list', '--port', String(other.port)]);
    assert.deepEqual([exitCode, stdout], [0, '']);
    assert.match(stderr, /^The directory of plugins is not used: .* is the folder of one plugin: /);
  });

  test('says that there are none, and how to get one', async () => {
    await using other = await startOther({});
    const {stdout, stderr} = await machine.run(['plugin', 'list', '--port', String(other.port)]);
    assert.equal(stdout, '');
    assert.match(stderr, /^No plugins; "crewroom plugin new FOLDER" creates one, .*\n$/);
  });
});

describe('crewroom plugin logs', () => {
  test('prints lines with their times', async () => {
    const {exitCode, stdout} = await run(['logs', LOUD]);
    assert.equal(exitCode, 0);
    // Standard output and standard error come through two pipes.
    assert.deepEqual(
      stdout
        .trimEnd()
        .split('\n')
        .map(line => line.replace(/^\d\d:\d\d:\d\d {2}/, ''))
        .sort(),
      ['one\\u001b[31m\\u202e', 'two'],
    );
  });

  test('prints JSON', async () => {
    const {exitCode, stdout} = await run(['logs', LOUD, '--json']);
    assert.equal(exitCode, 0);
    const lines = readLines(stdout);
    for (const {loggedAt} of lines) assert.match(String(loggedAt), /^\d{4}-\d\d-\d\dT.*Z$/);
    assert.deepEqual(lines.map(({level, text}) => `${level} ${text}`).sort(), [
      'error two',
      'info one\u001b[31m\u202e',
    ]);
  });
});

describe('crewroom plugin restart', () => {
  test('starts a plugin again, and reports its state', async () => {
    const before = service().crewroom.plugins.status(HELLO).startedAtMs ?? 0;
    const {exitCode, stdout} = await run(['restart', HELLO, '--json']);
    const [status] = readLines(stdout);
    assert.deepEqual([exitCode, status?.['id'], status?.['state']], [0, HELLO, 'running']);
    assert.ok((service().crewroom.plugins.status(HELLO).startedAtMs ?? 0) > before);
    const shown = await run(['restart', HELLO], {onTerminal: true});
    assert.deepEqual([shown.exitCode, plain(shown.stdout)], [0, `Restarted ${HELLO}: running\n`]);
    const silent = await run(['restart', HELLO]);
    assert.deepEqual([silent.exitCode, silent.stdout, silent.stderr], [0, '', '']);
  });

  test('fails for a broken plugin', async () => {
    const {exitCode, stderr} = await run(['restart', BROKEN, '--json']);
    const {code, plugin, problems} = JSON.parse(stderr);
    const expected = [{path: '$.version', problem: 'has to be a string that is not empty'}];
    assert.deepEqual(
      {exitCode, code, plugin, problems},
      {exitCode: 1, code: 'invalid-plugin', plugin: BROKEN, problems: expected},
    );
  });
});

describe('crewroom plugin set', () => {
  const set = (setting: string, ...args: readonly string[]): Promise<Finished> => run(['set', HELLO, setting, ...args]);

  test('changes a setting, and restores its default', async () => {
    assert.deepEqual(JSON.parse((await set('greeting=Good day', '--json')).stdout), {greeting: 'Good day'});
    assert.deepEqual(JSON.parse((await set('greeting="x=y"', '--json')).stdout), {greeting: 'x=y'});
    const shown = await run(['set', HELLO, 'greeting=a\u001b[31m'], {onTerminal: true});
    assert.equal(plain(shown.stdout), `greeting of ${HELLO} is "a\\u001b[31m"\n`);
    assert.deepEqual(JSON.parse((await set('greeting=null', '--json')).stdout), {greeting: 'Hello'});
    assert.equal((await set('greeting=null')).stdout, '');
  });

  test('changes a setting of the client', async () => {
    const {stdout} = await run(['set', 'core', 'weightUnits=LBS', '--json']);
    assert.equal(JSON.parse(stdout).weightUnits, 'LBS');
  });

  const wrong = [
    {setting: 'greeting=x', exitCode: 2, code: 'invalid-body', path: '$.greeting'},
    {setting: 'greeting=7', exitCode: 2, code: 'invalid-body', path: '$.greeting'},
    {setting: 'colour=red', exitCode: 2, code: 'invalid-body', path: '$.colour'},
    {setting: '=x', exitCode: 2, code: 'invalid-usage', path: undefined},
    {setting: 'greeting', exitCode: 2, code: 'invalid-usage', path: undefined},
  ];
  for (const {setting, exitCode, code, path} of wrong)
    test(`refuses ${setting}`, async () => {
      const finished = await set(setting, '--json');
      const failure = JSON.parse(finished.stderr);
      assert.deepEqual([finished.exitCode, failure.code, failure.problems?.[0].path], [exitCode, code, path]);
    });
});

describe('crewroom plugin', () => {
  for (const args of [
    ['logs', 'none'],
    ['restart', 'none'],
    ['set', 'none', 'a=1'],
  ])
    test(`${args[0]} finds no unknown plugin`, async () => {
      const {exitCode, stdout, stderr} = await run([...args, '--json']);
      const {code, plugin} = JSON.parse(stderr);
      assert.deepEqual({exitCode, stdout, code, plugin}, {exitCode: 3, stdout: '', code: 'no-plugin', plugin: 'none'});
    });

  const usages = [
    {args: ['list', 'x'], problem: 'list takes no ID'},
    {args: ['logs'], problem: 'logs needs an ID'},
    {args: ['install'], problem: 'install needs a ZIP or a folder'},
    {args: ['check', ''], problem: 'check needs a ZIP or a folder'},
    {args: ['new', ''], problem: 'new needs the name of a folder'},
    {args: ['pack', ''], problem: 'pack needs a folder'},
    {args: ['types', ''], problem: 'types needs a folder'},
    {args: ['install', ''], problem: 'install needs a ZIP or a folder'},
    {args: ['logs', HELLO, 'x=1'], problem: 'logs takes no NAME=VALUE'},
    {args: ['install', 'a.zip', 'x=1'], problem: 'install takes no NAME=VALUE'},
    {args: ['set', HELLO], problem: 'set needs a NAME=VALUE'},
    {args: ['logs', HELLO, '--yes'], problem: 'logs takes no --yes'},
    {args: ['install', 'a.zip', '--data'], problem: 'install takes no --data'},
  ];
  for (const {args, problem} of usages)
    test(`does not take ${args.join(' ')}`, async () => {
      const {exitCode, stderr} = await run([...args, '--json']);
      const failure = JSON.parse(stderr);
      assert.deepEqual([exitCode, failure.code, failure.problem], [2, 'invalid-usage', problem]);
    });

  test('accepts only its actions', async () => {
    const {exitCode, stderr} = await run(['lst', '--json']);
    const {code, problem} = JSON.parse(stderr);
    assert.deepEqual([exitCode, code], [2, 'invalid-usage']);
    assert.match(problem, /lst/);
  });

  for (const args of [['list'], ['logs', HELLO], ['restart', HELLO], ['set', HELLO, 'a=1']])
    test(`${args[0]} needs a service`, async () => {
      const finished = await machine.run(['plugin', ...args, '--port', String(await findFreePort()), '--json']);
      assert.deepEqual([finished.exitCode, JSON.parse(finished.stderr).code], [5, 'service-unreachable']);
    });

  const offers = [
    {
      words: ['plugin', ''],
      offered: ['list', 'logs', 'restart', 'set', 'install', 'remove', 'new', 'types', 'check', 'pack', 'adopt'],
      directive: 4,
      // The library writes what only the catalogue knows to the standard output by itself.
      complete: machine.runProcess,
    },
    {words: ['plugin', 'install', ''], offered: [], directive: 0},
    {words: ['plugin', 'check', ''], offered: [], directive: 0},
    {words: ['plugin', 'pack', ''], offered: [], directive: 0},
  ];
  for (const {words, offered, directive, complete = machine.run} of offers)
    test(`is completed: ${words.join(' ')}`, async () => {
      const environment = {CREWROOM_PORT: String(service().port)};
      const {stdout} = await complete(['complete', '--', ...words], {environment});
      const lines = stdout
        .trimEnd()
        .split('\n')
        .map(line => line.split('\t')[0]);
      const [last, ...others] = lines.reverse();
      assert.deepEqual(others.reverse(), offered);
      assert.equal(last, `:${directive}`);
    });
});
