import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {SETTING_NAMES} from '../../src/platform/config/config.ts';
import {createMachine} from './crewroom.ts';

const machine = await createMachine();
const {home} = machine;

interface ShownConfig {
  readonly settings: Readonly<Record<string, {readonly value: unknown; readonly origin: string}>>;
  readonly configFile: {readonly path: string; readonly exists: boolean};
  readonly problems: readonly unknown[];
}

describe('crewroom config', () => {
  test('shows every setting with its value and where it came from', async () => {
    const file = join(home, 'some.json');
    await writeFile(file, '{"port": 8001, "logLevel": "debug", "dataDir": "here", "ephemeral": true}');
    const args = ['config', '--config', 'some.json', '--port', '8003', '--no-ephemeral', '--json'];
    const {exitCode, stdout} = await machine.run(args, {
      environment: {
        CREWROOM_PORT: '8002',
        CREWROOM_LOG_LEVEL: 'error',
        CREWROOM_ALLOW_ORIGINS: 'http://a.example,http://b.example',
      },
    });
    assert.equal(exitCode, 0);
    const {settings, configFile, problems} = JSON.parse(stdout) as ShownConfig;
    assert.deepEqual(Object.keys(settings), SETTING_NAMES);
    assert.deepEqual(settings['port'], {value: 8003, origin: '--port'});
    assert.deepEqual(settings['ephemeral'], {value: false, origin: '--ephemeral'});
    assert.deepEqual(settings['logLevel'], {value: 'error', origin: 'CREWROOM_LOG_LEVEL'});
    assert.deepEqual(settings['allowOrigins']?.value, ['http://a.example', 'http://b.example']);
    assert.deepEqual(settings['dataDir'], {value: join(home, 'here'), origin: `"dataDir" in ${file}`});
    assert.deepEqual(settings['host'], {value: 'localhost', origin: 'default'});
    assert.deepEqual(configFile, {path: file, exists: true});
    assert.deepEqual(problems, []);
  });

  test('shows people a table', async () => {
    const {stdout} = await machine.run(['config', '--allow-host', 'a.local', '--allow-host', 'b.local']);
    assert.match(stdout, /^SETTING +VALUE +FROM\nhost +localhost +default\n/);
    assert.match(stdout, /^allowHosts +a\.local, b\.local +--allow-host$/m);
    assert.match(stdout, /^profile +the sample +default$/m);
  });

  test('reads the config file of the platform, which may be missing', async () => {
    const before = JSON.parse((await machine.run(['config', '--json'])).stdout) as ShownConfig;
    assert.deepEqual(before.configFile, {path: join(home, 'config', 'crewroom', 'config.json'), exists: false});
    await mkdir(join(home, 'config', 'crewroom'), {recursive: true});
    await writeFile(before.configFile.path, '{"port": 8004}');
    const {settings} = JSON.parse((await machine.run(['config', '--json'])).stdout) as ShownConfig;
    assert.equal(settings['port']?.value, 8004);
    await writeFile(before.configFile.path, '{}');
  });

  const files = [
    {name: 'that is named and not there', content: undefined, said: /other\.json does not exist/},
    {
      name: 'that is no JSON',
      content: '{\n  "port": 7172,\n}',
      said: /other\.json is not JSON: .* at line 3, column 1/,
    },
    {
      name: 'with a comment that does not end',
      content: '{}\n/* "port": 7172',
      said: /other\.json is not JSON: .* at line 2, column 1/,
    },
    {name: 'that is no object', content: '[]', said: /other\.json is not a JSON object/},
    {
      name: 'with a name that is none',
      content: '{"prot": 1}',
      said: /"prot" in .*other\.json is not a setting; did you mean port\?/,
    },
  ];
  for (const {name, content, said} of files) {
    test(`refuses a file ${name}, with exit code 2`, async () => {
      const path = join(home, content === undefined ? 'no-other.json' : 'other.json');
      if (content !== undefined) await writeFile(path, content);
      for (const command of ['start', 'status', 'config']) {
        const {exitCode, stderr} = await machine.run([command], {environment: {CREWROOM_CONFIG: path}});
        assert.equal(exitCode, 2, command);
        assert.match(stderr, said);
      }
    });
  }

  test('accepts a file with comments', async () => {
    await writeFile(
      join(home, 'comments.json'),
      '// \u2603\n{/* "port": 1, */ "port": 8004, "logFile": "//not/*one*/"} // end',
    );
    const {exitCode, stdout, stderr} = await machine.run(['config', '--config', 'comments.json', '--json']);
    assert.deepEqual([exitCode, stderr], [0, '']);
    const {settings} = JSON.parse(stdout) as ShownConfig;
    assert.equal(settings['port']?.value, 8004);
    assert.match(String(settings['logFile']?.value), /not\/\*one\*$/);
  });

  test('accepts a file that names its schema for editors', async () => {
    await writeFile(join(home, 'schema.json'), '{"$schema": "./crewroom.schema.json", "port": 8004}');
    const {exitCode, stdout, stderr} = await machine.run(['config', '--config', 'schema.json', '--json']);
    assert.deepEqual([exitCode, stderr], [0, '']);
    assert.equal((JSON.parse(stdout) as ShownConfig).settings['port']?.value, 8004);
  });

  test('reports all problems at once, and still shows the valid settings', async () => {
    const {exitCode, stdout, stderr} = await machine.run(['config', '--port', 'x', '--log-level', 'y'], {
      environment: {CREWROOM_EPHEMERALL: '1'},
    });
    assert.equal(exitCode, 2);
    assert.match(stdout, /^port +invalid +--port$/m);
    assert.match(stdout, /^host +localhost +default$/m);
    assert.deepEqual(stderr.split('\n').slice(0, 4), [
      'crewroom: Cannot use the configuration: 3 problems',
      '  CREWROOM_EPHEMERALL is not a setting; did you mean CREWROOM_EPHEMERAL?',
      '  --port has to be a whole number from 0 to 65535, not "x"',
      '  --log-level has to be error, info or debug, not "y"',
    ]);
  });
});

describe('crewroom paths', () => {
  test('shows both places and whether they are there', async () => {
    const {exitCode, stdout} = await machine.run(['paths', '--json']);
    assert.equal(exitCode, 0);
    const {dataDir, configFile} = JSON.parse(stdout) as Readonly<Record<string, {path: string; exists: boolean}>>;
    assert.deepEqual(dataDir, {path: join(home, 'data', 'crewroom'), exists: false});
    assert.equal(configFile?.path, join(home, 'config', 'crewroom', 'config.json'));
    assert.match((await machine.run(['paths', '--data-dir', '.'])).stdout, new RegExp(`^dataDir +${home} +yes$`, 'm'));
  });

  test('names the directory with compiled code, which is kept for the next start', async () => {
    const cacheDir = join(home, '.cache', 'crewroom');
    const {stdout} = await machine.runProcess(['paths', '--json']);
    assert.equal(JSON.parse(stdout).cacheDir.path, cacheDir);
    assert.ok(existsSync(cacheDir));
  });

  test('works without the cache if it cannot be written', async () => {
    await writeFile(join(home, 'file'), '');
    const {exitCode, stderr} = await machine.runProcess(['paths'], {environment: {XDG_CACHE_HOME: join(home, 'file')}});
    assert.deepEqual([exitCode, stderr], [0, '']);
  });

  test('shows them even if the config file is invalid', async () => {
    await writeFile(join(home, 'broken.json'), '{');
    const {exitCode, stdout} = await machine.run(['paths', '--config', 'broken.json']);
    assert.equal(exitCode, 0);
    assert.match(stdout, new RegExp(`^configFile +${join(home, 'broken.json')} +yes$`, 'm'));
  });
});
