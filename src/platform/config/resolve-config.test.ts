import assert from 'node:assert/strict';
import {resolve} from 'node:path';
import {describe, test} from 'vitest';
import {AppError} from '../../core/failures/app-error.ts';
import {type Config, DEFAULTS, SETTING_NAMES, type SettingName, settingFlagOf, variableOf} from './config.ts';
import {type ConfigSources, inspectConfig, resolveConfig} from './resolve-config.ts';

const defaults: Config = {...DEFAULTS, dataDir: '/home/ada/data'};

function sources(given: Partial<ConfigSources>): ConfigSources {
  return {flags: {}, environment: {}, defaults, workingDirectory: '/here', homeDir: '/home/me', ...given};
}

function problemsOf(given: Partial<ConfigSources>): readonly string[] {
  return inspectConfig(sources(given)).problems.map(({source, problem}) => `${source} ${problem}`);
}

describe('resolveConfig()', () => {
  test('uses the defaults if nothing is given', () => {
    const {config, origins} = resolveConfig(sources({}));
    assert.deepEqual(config, defaults);
    for (const name of SETTING_NAMES) assert.equal(origins[name], 'default');
  });

  const precedence = [
    {name: 'a flag before all others', flag: '1', variable: '2', file: 3, port: 1, origin: '--port'},
    {name: 'the environment before the file', variable: '2', file: 3, port: 2, origin: 'CREWROOM_PORT'},
    {name: 'the file before the default', file: 3, port: 3, origin: '"port" in /etc/crewroom.json'},
    {name: 'the default last', port: 7172, origin: 'default'},
    {
      name: 'the file where the variable is empty',
      variable: '',
      file: 3,
      port: 3,
      origin: '"port" in /etc/crewroom.json',
    },
  ];
  for (const {name, flag, variable, file, port, origin} of precedence) {
    test(`accepts ${name}`, () => {
      const {config, origins} = resolveConfig(
        sources({
          flags: flag === undefined ? {} : {port: flag},
          environment: {CREWROOM_PORT: variable},
          file: {path: '/etc/crewroom.json', content: file === undefined ? {} : {port: file}},
        }),
      );
      assert.equal(config.port, port);
      assert.equal(origins.port, origin);
    });
  }

  const read: readonly {readonly name: SettingName; readonly given: unknown; readonly value: unknown}[] = [
    {name: 'port', given: '0', value: 0},
    {name: 'port', given: 65535, value: 65535},
    {name: 'ephemeral', given: true, value: true},
    ...['true', 'TRUE', '1', 'yes', 'On'].map(given => ({name: 'ephemeral', given, value: true}) as const),
    ...['false', 'False', '0', 'NO', 'off'].map(given => ({name: 'keepSession', given, value: false}) as const),
    {name: 'allowOrigins', given: ['http://localhost:3000'], value: ['http://localhost:3000']},
    {
      name: 'allowOrigins',
      given: 'http://a.example, http://b.example',
      value: ['http://a.example', 'http://b.example'],
    },
    {name: 'allowOrigins', given: 'capacitor://localhost', value: ['capacitor://localhost']},
    {name: 'allowHosts', given: 'crew.local,[fd00::1]', value: ['crew.local', '[fd00::1]']},
    {name: 'allowHosts', given: [], value: []},
    {name: 'allowUsers', given: 'daemon, 1001,DOMAIN\\pilot', value: ['daemon', '1001', 'DOMAIN\\pilot']},
    {name: 'profile', given: 'none', value: 'none'},
    {name: 'profile', given: 'me.json', value: resolve('/here/me.json')},
    {name: 'dataDir', given: '/data', value: resolve('/data')},
    {name: 'logLevel', given: 'debug', value: 'debug'},
  ];
  for (const {name, given, value} of read) {
    test(`reads ${name} from ${JSON.stringify(given)}`, () => {
      assert.deepEqual(resolveConfig(sources({flags: {[name]: given}})).config[name], value);
    });
  }

  test('starts relative paths in a file from its directory, and others from the working directory', () => {
    const file = {path: '/etc/crew/config.json', content: {dataDir: 'data', profile: '../me.json'}};
    const {config} = resolveConfig(sources({file}));
    assert.deepEqual([config.dataDir, config.profile], [resolve('/etc/crew/data'), resolve('/etc/me.json')]);
    assert.equal(
      resolveConfig(sources({file, environment: {CREWROOM_DATA_DIR: 'data'}})).config.dataDir,
      resolve('/here/data'),
    );
  });

  const rejected: readonly {readonly name: SettingName; readonly given: unknown; readonly problem: RegExp}[] = [
    {name: 'port', given: 'abc', problem: /^--port has to be a whole number from 0 to 65535, not "abc"$/},
    {name: 'port', given: '65536', problem: /from 0 to 65535/},
    {name: 'port', given: '-1', problem: /whole number/},
    {name: 'port', given: '1.5', problem: /whole number/},
    {name: 'port', given: '0x10', problem: /whole number/},
    {name: 'port', given: null, problem: /not null$/},
    {name: 'port', given: 'x'.repeat(1000), problem: /not this long value$/},
    {name: 'host', given: '', problem: /has to be a string that is not empty/},
    {name: 'host', given: 7, problem: /has to be a string/},
    {name: 'ephemeral', given: 'yess', problem: /has to be true or false, not "yess"/},
    {name: 'logLevel', given: 'warn', problem: /has to be error, info or debug, not "warn"/},
    {name: 'valueBytesMax', given: 0, problem: /from 1 to/},
    {name: 'valueDepthMax', given: '10001', problem: /from 1 to 10000/},
    {name: 'connectionsMax', given: 0, problem: /from 1 to 65535/},
    {name: 'allowOrigins', given: '*', problem: /"\*" would let any page call/},
    {name: 'allowOrigins', given: 'null', problem: /would let any page call/},
    {name: 'allowOrigins', given: ['http://a.example/'], problem: /without a path/},
    {name: 'allowOrigins', given: ['http://a.example:80'], problem: /not written as browsers send it/},
    {name: 'allowOrigins', given: ['HTTP://a.example'], problem: /is not an origin/},
    {name: 'allowOrigins', given: ['http://user@a.example'], problem: /is not an origin/},
    {name: 'allowOrigins', given: [7], problem: /7 is not a string/},
    {name: 'allowOrigins', given: ['http://ok.example', 'nope'], problem: /"nope" is not an origin/},
    {name: 'allowHosts', given: 'http://crew.local', problem: /is not a host name/},
    {name: 'allowHosts', given: 'crew.local:80', problem: /is not a host name/},
    {name: 'allowUsers', given: '-u', problem: /"-u" is neither the name nor the id of a user/},
    {name: 'allowUsers', given: ['no body'], problem: /is neither the name nor the id of a user/},
    {name: 'allowUsers', given: 'daemon,', problem: /"" is neither the name nor the id of a user/},
    {name: 'allowUsers', given: ['*'], problem: /"\*" would let the programs of every user call/},
    {name: 'allowUsers', given: '**', problem: /is neither the name nor the id of a user/},
    {name: 'allowHosts', given: 'a,,b', problem: /"" is not a host name/},
  ];
  for (const {name, given, problem} of rejected) {
    test(`refuses ${JSON.stringify(given)?.slice(0, 40)} as ${name}`, () => {
      const [found, ...others] = problemsOf({flags: {[name]: given}});
      assert.match(found ?? '', problem);
      assert.deepEqual(others, []);
    });
  }

  test('names every problem of every source at once', () => {
    const given = sources({
      flags: {port: 'abc'},
      environment: {CREWROOM_LOG_LEVEL: 'loud', CREWROOM_POTR: '1', OTHER: 'x', CREWROOM_CONFIG: '/etc/c.json'},
      file: {path: '/etc/c.json', content: {host: 7, dataDri: '/x', port: 'not looked at'}},
    });
    assert.throws(
      () => resolveConfig(given),
      (error: unknown) => {
        assert.ok(error instanceof AppError && error.failure?.code === 'invalid-configuration');
        assert.deepEqual(
          error.failure.problems.map(({source, problem}) => `${source} ${problem}`),
          [
            'CREWROOM_POTR is not a setting; did you mean CREWROOM_PORT?',
            '"dataDri" in /etc/c.json is not a setting; did you mean dataDir?',
            '"host" in /etc/c.json has to be a string that is not empty, not 7',
            '--port has to be a whole number from 0 to 65535, not "abc"',
            'CREWROOM_LOG_LEVEL has to be error, info or debug, not "loud"',
          ].sort((a, b) => order(a) - order(b)),
        );
        return true;
      },
    );
  });

  const files = [
    {name: 'an array', content: [], problem: '/c.json is not a JSON object'},
    {name: 'null', content: null, problem: '/c.json is not a JSON object'},
    {name: 'a text', content: 'port', problem: '/c.json is not a JSON object'},
    {name: 'a member of every object', content: {toString: 1}, problem: '"toString" in /c.json is not a setting'},
    {
      name: 'a prototype',
      content: JSON.parse('{"__proto__": {"port": 1}}'),
      problem: '"__proto__" in /c.json is not a setting',
    },
  ];
  for (const {name, content, problem} of files) {
    test(`refuses a file that holds ${name}`, () => {
      assert.deepEqual(problemsOf({file: {path: '/c.json', content}}), [problem]);
    });
  }

  test('continues with the other sources if the file cannot be read', () => {
    const {config, problems} = inspectConfig(
      sources({flags: {port: '8000'}, file: {path: '/c.json', problem: 'does not exist'}}),
    );
    assert.equal(config.port, 8000);
    assert.deepEqual(problems, [{setting: '', source: '/c.json', problem: 'does not exist'}]);
  });
});

/** The position of a problem: unknown names come first, then settings in their order. */
function order(problem: string): number {
  if (problem.includes('is not a setting')) return 0;
  return (
    1 +
    SETTING_NAMES.findIndex(name =>
      [settingFlagOf(name), variableOf(name), `"${name}"`].some(form => problem.startsWith(form)),
    )
  );
}
