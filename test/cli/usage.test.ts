import assert from 'node:assert/strict';
import {execFile, execFileSync} from 'node:child_process';
import {readFile, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {describe, test} from 'vitest';
import {COMMAND_LIST} from '../../src/cli/catalogue/commands.ts';
import {EXIT, EXIT_MEANINGS} from '../../src/core/failures/exit-codes.ts';
import {flagOf, SETTING_NAMES, shownFlagOf} from '../../src/platform/config/config.ts';
import {createMachine} from './crewroom.ts';

const machine = await createMachine();
const {home} = machine;

describe('help', () => {
  for (const args of [[], ['--help'], ['-h'], ['help']]) {
    test(`crewroom ${args.join(' ')} leads with examples and lists every command`, async () => {
      const {exitCode, stdout, stderr} = await machine.run(args);
      assert.equal(exitCode, 0);
      assert.equal(stderr, '');
      assert.ok(stdout.indexOf('Examples') < stdout.indexOf('Service'));
      for (const {name, summary} of COMMAND_LIST)
        assert.match(stdout, new RegExp(`^ {2}${name}\\b.*  ${summary}$`, 'm'));
    });
  }

  test('crewroom --help and docs/settings.md say what each exit code means', async () => {
    const {stdout} = await machine.run(['--help']);
    const page = await readFile(new URL('../../docs/settings.md', import.meta.url), 'utf8');
    const rows = Object.entries(EXIT).map(([name, code]) => [code, EXIT_MEANINGS[name as keyof typeof EXIT]] as const);
    const [, shown = ''] = /^Exit codes\n((?: .*\n)+)/m.exec(stdout) ?? [];
    assert.deepEqual(
      shown.trimEnd().split('\n'),
      rows.map(([code, meaning]) => `  ${String(code).padEnd(3)}  ${meaning}`),
    );
    const listed = rows.map(([code, meaning]) => `${code} ${meaning}`).join('; ');
    assert.ok(page.includes(`\nExit codes: ${listed}. `), listed);
  });

  for (const {name, examples, flags, settings} of COMMAND_LIST) {
    test(`crewroom ${name} --help shows its examples and every flag, and fits a terminal`, async () => {
      const {exitCode, stdout} = await machine.run([name, '--help']);
      assert.equal(exitCode, 0);
      for (const [line] of examples) assert.ok(stdout.includes(line), line);
      for (const flag of [...Object.keys(flags).map(flagOf), ...settings.map(shownFlagOf)])
        assert.ok(stdout.includes(flag), flag);
      for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line);
      assert.equal((await machine.run(['help', name])).stdout, stdout);
    });
  }
});

test('every command takes --json, but those with forms of their own, which help names', async () => {
  const own = ['start', 'play', 'run', 'edit', 'dev', 'completion'];
  assert.deepEqual(
    COMMAND_LIST.filter(({ownForms}) => ownForms).map(({name}) => name),
    own,
  );
  assert.deepEqual(
    COMMAND_LIST.filter(({name, flags}) => !own.includes(name) && !('json' in flags)),
    [],
  );
  const {stdout} = await machine.run(['--help']);
  const named = `${own.slice(0, -1).join(', ')} and ${own.at(-1)}`;
  assert.ok(
    stdout.includes(`With --json a command prints one object, or of a list one on each line;\n${named} have`),
    stdout,
  );
});

describe('a wrong command line', () => {
  const rejected = [
    {name: 'a command with a typo', args: ['strat'], said: /unknown command "strat"; did you mean start\?/},
    {
      name: 'help for a command with a typo',
      args: ['confg', '--help'],
      said: /unknown command "confg"; did you mean config\?/,
    },
    {
      name: 'flags of no command',
      args: ['launch', '--port', '1'],
      said: /unknown command "launch"\n"crewroom --help" lists/,
    },
    {name: 'a typo after help', args: ['help', 'confg'], said: /unknown command "confg"; did you mean config\?/},
    {
      name: 'a flag with a typo',
      args: ['get', 'k', '--prot', '1'],
      said: /unknown flag "--prot"; did you mean --port\?/,
    },
    {
      name: 'a flag before the command that is no setting',
      args: ['--yes', 'status'],
      said: /^crewroom: Cannot run "crewroom": unknown flag "--yes"; all but settings follow the command$/m,
    },
    {
      name: 'settings without a command',
      args: ['--port', '1'],
      said: /^crewroom: Cannot run "crewroom": a command is missing after --port$/m,
    },
    {
      name: 'a setting before the command that the command does not take',
      args: ['--port', '1', 'version'],
      said: /unknown flag "--port"/,
    },
    {name: 'a missing argument', args: ['put', 'k'], said: /VALUE is missing/},
    {name: 'too many arguments', args: ['get', 'a', 'b'], said: /too many arguments: "b" follows the last one/},
    {name: 'a flag without its value', args: ['start', '--port'], said: /--port needs a value: --port PORT/},
    {name: 'a switch with a value', args: ['list', '--reverse=yes'], said: /--reverse takes no value/},
    {name: 'a limit that is not a number', args: ['list', '--limit', 'all'], said: /--limit has to be a whole number/},
    {name: 'a revision that is not a number', args: ['put', 'k', '1', '--if-match', 'x'], said: /--if-match has to be/},
    {name: 'two conditions at once', args: ['put', 'k', '1', '--if-match', '1', '--if-absent'], said: /cannot both/},
    ...['0', '-5', '1.5', '1e3', '', '1 h', '90x', '3651d', '315360001'].map(ttl => ({
      name: `an invalid time to live: ${JSON.stringify(ttl)}`,
      args: ['put', 'k', '1', `--ttl=${ttl}`],
      said: /--ttl has to be a time such as 90s, 15m, 12h or 30d, from 1s to 3650d, not "/,
    })),
    {name: 'a touch without a time', args: ['touch', 'k'], said: /it needs either --ttl TIME or --forever/},
    {name: 'a touch with two times', args: ['touch', 'k', '--ttl', '1', '--forever'], said: /it needs either --ttl/},
    {
      name: 'a revision to watch from that is not a number',
      args: ['watch', '--after', 'x'],
      said: /--after has to be a whole number from 0/,
    },
    {
      name: 'a reset without confirmation',
      args: ['reset'],
      said: /it deletes every entry\nConfirm that on a terminal, or/,
    },
    {name: 'nothing to delete', args: ['delete'], said: /it needs either a KEY or --prefix PREFIX; "crewroom reset"/},
    {name: 'a key and a prefix', args: ['delete', 'k', '--prefix', 'p'], said: /either a KEY or --prefix PREFIX/},
    {name: 'an empty prefix', args: ['delete', '--prefix', '', '--yes'], said: /every entry, as "crewroom reset" does/},
    {name: 'a revision of many entries', args: ['delete', '--prefix', 'p', '--if-match', '1'], said: /requires a KEY/},
    {
      name: 'many deletions without confirmation',
      args: ['delete', '--prefix', 'p'],
      said: /it deletes many entries\nConfirm that on a terminal, or/,
    },
    {name: 'two words as one', args: ['plugin-new'], said: /did you mean plugin new\?/},
    {name: 'an action without its command', args: ['Pack'], said: /unknown command "Pack"; did you mean plugin pack\?/},
    {
      name: 'a status in place of a code',
      args: ['explain', '404'],
      said: /there is no failure "404"; did you mean (?=.*no-entry)(?=.*no-identity)/,
    },
    {name: 'an action with a typo', args: ['plugin', 'lst'], said: /not "lst"; did you mean list\?/},
    {name: 'a fault with a typo', args: ['fault', 'dealy', '1s'], said: /not "dealy"; did you mean delay\?/},
    {
      name: 'a choice with a typo',
      args: ['start', '--requests', 'refusd'],
      said: /--requests has to be all, refused or off, not "refusd"; did you mean refused\?/,
    },
    {
      name: 'an unknown shell',
      args: ['completion', 'tcsh'],
      said: /SHELL has to be bash, zsh, fish or powershell/,
    },
  ];
  for (const {name, args, said} of rejected) {
    test(`is refused with exit code 2: ${name}`, async () => {
      const {exitCode, stdout, stderr} = await machine.run(args);
      assert.equal(exitCode, 2);
      assert.equal(stdout, '');
      assert.match(stderr, said);
      assert.match(stderr, /^crewroom: Cannot run ".*\n[^\n]+\n$/);
    });
  }

  for (const {
    name,
    arguments: [action],
  } of COMMAND_LIST.filter(({arguments: [first]}) => first?.name === 'ACTION'))
    test.runIf(action?.optional !== true)(`lists the actions if there is none: crewroom ${name}`, async () => {
      const {exitCode, stderr} = await machine.run([name]);
      assert.equal(exitCode, 2);
      const [last, ...others] = action?.choices?.toReversed() ?? [];
      const all = others.length === 0 ? last : `${others.reverse().join(', ')} or ${last}`;
      assert.ok(stderr.includes(`ACTION is missing: ${all}\n`), stderr);
    });

  test('is JSON with --json', async () => {
    const {exitCode, stderr} = await machine.run(['list', '--jsno', '--json']);
    assert.equal(exitCode, 2);
    const {code, detail, advice, command} = JSON.parse(stderr) as Readonly<Record<string, string>>;
    assert.deepEqual({code, command}, {code: 'invalid-usage', command: 'crewroom list'});
    assert.match(detail ?? '', /did you mean --json\?/);
    assert.ok(advice);
  });
});

describe('crewroom version', () => {
  for (const args of [['version'], ['--version'], ['-V']]) {
    test(`is one line: ${args.join(' ')}`, async () => {
      assert.match((await machine.run(args)).stdout, /^crewroom \d+\.\d+\.\d+\S*\n$/);
    });
  }

  test('names everything that a report needs, as JSON', async () => {
    const versions = JSON.parse((await machine.run(['version', '--json'])).stdout) as Readonly<Record<string, string>>;
    assert.deepEqual(Object.keys(versions), ['version', 'apiVersion', 'node', 'platform', 'architecture', 'lmdb']);
    assert.equal(versions['node'], process.versions.node);
    assert.match(versions['lmdb'] ?? '', /^\d+\.\d+\.\d+$/);
  });
});

// As processes: the library writes to the standard output by itself.
describe('crewroom completion', () => {
  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    test(`prints a script for ${shell}`, async () => {
      const {exitCode, stdout} = await machine.runProcess(['completion', shell]);
      assert.equal(exitCode, 0);
      assert.ok(stdout.includes('crewroom complete --') || stdout.includes('crewroom'), stdout.slice(0, 200));
    });
  }

  test('prints a script that bash can read', async () => {
    const {stdout} = await machine.runProcess(['completion', 'bash']);
    await writeFile(join(home, 'completion.bash'), stdout);
    await promisify(execFile)('bash', ['-n', join(home, 'completion.bash')]);
  });

  const suggest = async (...words: readonly string[]): Promise<readonly string[]> => {
    const {stdout} = await machine.runProcess(['complete', '--', ...words]);
    return stdout
      .split('\n')
      .map(line => line.split('\t')[0] ?? '')
      .filter(word => word !== '' && !word.startsWith(':'));
  };

  test('offers every command, and no hidden one', async () => {
    assert.deepEqual(
      await suggest(''),
      COMMAND_LIST.map(({name}) => name),
    );
    assert.deepEqual(await suggest('st'), ['start', 'status', 'stop']);
  });

  test('offers every flag of a command', async () => {
    const flags = SETTING_NAMES.map(shownFlagOf);
    assert.deepEqual(await suggest('start', '--'), [
      '--new-store-id',
      '--detached',
      '--json',
      '--requests',
      ...flags,
      '--config',
      '--help',
    ]);
    assert.deepEqual(await suggest('put', 'k', 'v', '--if'), ['--if-match', '--if-absent']);
  });

  test('offers the values of a flag if there are few', async () => {
    assert.deepEqual(await suggest('start', '--log-level', ''), ['error', 'info', 'debug']);
    assert.deepEqual(await suggest('completion', 'f'), ['fish']);
  });
});

describe.runIf(process.platform === 'linux')('what is written', () => {
  const main = new URL('../../dist/cli/main.js', import.meta.url).pathname;

  test('ends quietly if the reader closes it', async () => {
    const service = await machine.start();
    for (let index = 0; index < 300; index++)
      await fetch(`${service.url}/api/store/${'k'.repeat(400)}${index}`, {method: 'PUT', body: '1'});
    const command = `node ${main} list --port ${service.port} --json --values | head -1; echo "\${PIPESTATUS[0]}"`;
    const {stdout, stderr} = await promisify(execFile)('bash', ['-c', command]);
    assert.match(stdout, /^\{"key":"k+0".*\}\n0\n$/);
    assert.equal(stderr, '');
    await service.stop();
  });

  test('is a failure if it cannot be written', async () => {
    const command = `node ${main} version > /dev/full; echo $?`;
    const {stdout, stderr} = await promisify(execFile)('bash', ['-c', command]);
    assert.equal(stdout, '1\n');
    assert.match(stderr, /^crewroom: Cannot write to standard output: ENOSPC/);
  });

  test('has colours on a terminal, and none with NO_COLOR', async () => {
    const {stdout} = await machine.runOnTerminal(['--help']);
    assert.ok(stdout.includes('\u001b[1m'));
    const {stdout: bare} = await machine.runOnTerminal(['--help'], {environment: {NO_COLOR: '1'}});
    assert.ok(!bare.includes('\u001b'));
    const {stdout: empty} = await machine.runOnTerminal(['--help'], {environment: {NO_COLOR: ''}});
    assert.ok(empty.includes('\u001b'), 'an empty NO_COLOR means nothing');
  });

  test('comes from a link to the command, as packages install it', async () => {
    const link = join(home, 'crewroom');
    await symlink(main, link);
    assert.match(execFileSync(link, ['version']).toString(), /^crewroom /);
  });
});
