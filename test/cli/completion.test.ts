import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {mkdir, symlink, writeFile} from 'node:fs/promises';
import {type AddressInfo, createServer} from 'node:net';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {beforeAll, describe, test} from 'vitest';
import {useService} from '../support/service.ts';
import {createMachine, plain} from './crewroom.ts';

const machine = await createMachine();
const {home} = machine;
const service = useService({ephemeral: true});

/** The answer to a shell. */
interface Answered {
  readonly words: readonly string[];
  /** A bit set: 2 for no space after the word, 4 for no files. */
  readonly directive: number;
}

/** Returns the offered words for a line, whose last word may be empty. */
async function suggest(words: readonly string[], environment?: Record<string, string>): Promise<readonly string[]> {
  return (await ask(words, {environment})).words;
}

/** Returns the names of commands and flags that are offered: the library writes them to the standard output by itself. */
async function suggestNames(words: readonly string[]): Promise<readonly string[]> {
  return (await ask(words, {complete: machine.runProcess})).words;
}

interface AskOptions {
  readonly environment?: Record<string, string> | undefined;
  readonly complete?: typeof machine.run;
}

async function ask(
  words: readonly string[],
  {environment, complete = machine.run}: AskOptions = {},
): Promise<Answered> {
  const finished = await complete(['complete', '--', ...words], {
    environment: {CREWROOM_PORT: String(service().port), ...environment},
  });
  assert.deepEqual([finished.exitCode, finished.stderr], [0, '']);
  const lines = finished.stdout.trimEnd().split('\n');
  const last = lines.pop() ?? '';
  assert.match(last, /^:\d+$/);
  return {words: lines.map(line => line.split('\t')[0] ?? ''), directive: Number(last.slice(1))};
}

/** Retries without an offer: on a busy machine the service may take longer than the time limit. */
async function suggestKeys(words: readonly string[], environment?: Record<string, string>): Promise<readonly string[]> {
  for (let attempt = 1; attempt < 5; attempt++) {
    const keys = await suggest(words, environment);
    if (keys.length > 0) return keys;
  }
  return [];
}

async function put(key: string, body = '1'): Promise<void> {
  await fetch(`${service().url}/api/store/${encodeURIComponent(key)}`, {method: 'PUT', body});
}

/** Keys that mean something else in some shell. */
const STRANGE = [
  'x y',
  "x'y",
  'x"y',
  'x:y',
  'x=y',
  'x$(touch pwned)',
  'x`touch pwned`',
  'x;touch pwned',
  'x\\y',
  'x*',
  'x[1]',
  'x{1,2}',
  'x~',
  '~x',
  'x,y',
  'x|y',
  'x&y',
  'x<y',
  'x!y',
  'x#y',
  '@x',
  '-x',
  '=x',
  'x\u200by',
  'x\u00a0y',
];

beforeAll(async () => {
  for (const key of ['com.example.a/one', 'com.example.a/two', 'com.example.b', 'grüße', ...STRANGE]) await put(key);
  await put('com.example.a/one', '"found it"');
});

describe('the completion of keys', () => {
  for (const command of ['get', 'put', 'patch', 'touch', 'edit', 'delete', 'list', 'watch']) {
    test(`offers crewroom ${command} the keys that begin with what is typed`, async () => {
      assert.deepEqual(await suggestKeys([command, 'com.example.a/']), ['com.example.a/one', 'com.example.a/two']);
    });
  }

  test('works after flags, and calls the service that they name', async () => {
    assert.deepEqual(await suggestKeys(['get', '--json', 'gr']), ['grüße']);
    const environment = {CREWROOM_PORT: '1'};
    assert.deepEqual(await suggestKeys(['get', '--port', String(service().port), 'gr'], environment), ['grüße']);
    assert.deepEqual(await suggestKeys(['get', `--port=${service().port}`, 'gr'], environment), ['grüße']);
  });

  test('leaves out keys that mean something else in a shell', async () => {
    assert.deepEqual(await suggestKeys(['get', '']), [
      'com.example.a/one',
      'com.example.a/two',
      'com.example.b',
      'grüße',
    ]);
    assert.deepEqual(await suggest(['get', 'x']), []);
  });

  test('offers no keys in other places', async () => {
    assert.deepEqual(await suggestNames(['put', 'k', '']), []);
    assert.deepEqual(await suggestNames(['start', '']), []);
    assert.deepEqual(await suggestNames(['get', '--json']), ['--json']);
    assert.deepEqual(await suggestNames(['put', 'k', '1', '--if-match', '']), []);
  });

  test('offers at most a screenful', async () => {
    const operations = Array.from({length: 300}, (_, index) => ({kind: 'put', key: `many-${index + 1000}`, value: 1}));
    await fetch(`${service().url}/api/transactions`, {method: 'POST', body: JSON.stringify({operations})});
    const keys = await suggestKeys(['get', 'many-']);
    assert.deepEqual([keys.length, keys[0], keys.at(-1)], [50, 'many-1000', 'many-1049']);
  });

  test('offers nothing if no Crewroom answers', async () => {
    assert.deepEqual(await suggest(['get', ''], {CREWROOM_PORT: '1'}), []);
    assert.deepEqual(await suggest(['get', ''], {CREWROOM_PORT: 'nonsense'}), []);
    const mute = createServer(() => {}).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    assert.deepEqual(await suggest(['get', ''], {CREWROOM_PORT: String((mute.address() as AddressInfo).port)}), []);
    mute.close();
  });
});

describe('the completion of files', () => {
  const places = [
    ['import', ''],
    ['import', 'ba'],
    ['export', '--prefix', 'com.', 'ba'],
    ['start', '--profile', ''],
    ['start', '--profile='],
    ['start', '--profile=me'],
    ['start', '--profile', '=', 'me'],
    ['start', '--port=1', '--airline', 'a'],
    ['start', '--data-dir', 'd'],
    ['get', '--config', 'c'],
    ['sign-in', '--password-file', ''],
  ];
  for (const words of places) {
    test(`leaves crewroom ${words.join(' ')} to the shell`, async () => {
      assert.deepEqual(await ask(words), {words: [], directive: 0});
    });
  }

  test('offers no files in other places', async () => {
    for (const words of [
      ['start', '--port', ''],
      ['status', ''],
      ['put', 'k', ''],
      ['config', '--log-level', ''],
    ])
      assert.equal((await ask(words, {complete: machine.runProcess})).directive, 4, words.join(' '));
  });

  test('offers files after an @, and those in directories', async () => {
    await mkdir(join(home, 'values', 'more'), {recursive: true});
    for (const name of ['flight.json', 'flat.json', 'fl$(touch pwned)', '.hidden'])
      await writeFile(join(home, 'values', name), '1');
    assert.deepEqual(await ask(['put', 'k', '@val']), {words: ['@values/'], directive: 6});
    const all = ['@values/flat.json', '@values/flight.json', '@values/more/'];
    assert.deepEqual(await ask(['put', 'k', '@values/']), {words: all, directive: 4});
    assert.deepEqual(await ask(['patch', 'k', '@values/fli']), {words: ['@values/flight.json'], directive: 4});
    assert.deepEqual(await ask(['put', 'k', '@nowhere/']), {words: [], directive: 4});
  });
});

describe('the completion of snapshots', () => {
  test('offers existing snapshots to load or delete', async () => {
    const environment = {CREWROOM_PORT: String(service().port)};
    for (const name of ['before-update', 'before-flight', 'other'])
      assert.equal((await machine.run(['snapshot', 'save', name], {environment})).exitCode, 0);
    assert.deepEqual(await suggest(['snapshot', 'load', '']), ['before-flight', 'before-update', 'other']);
    assert.deepEqual(await suggest(['snapshot', 'delete', '--yes', 'before-u']), ['before-update']);
    assert.deepEqual(await suggestNames(['snapshot', 'save', '']), []);
    assert.deepEqual(await suggest(['snapshot', 'load', '--data-dir', 'elsewhere', '']), []);
    assert.deepEqual(await suggestNames(['snapshot', 'l']), ['load', 'list']);
  });
});

function has(program: string): boolean {
  return existsSync(`/usr/bin/${program}`) || existsSync(`/bin/${program}`);
}

describe.runIf(process.platform === 'linux')('a real shell', () => {
  const environment = (): Record<string, string> => ({
    CREWROOM_PORT: String(service().port),
    PATH: `${join(home, 'bin')}:${process.env['PATH']}`,
    ZDOTDIR: home,
  });

  beforeAll(async () => {
    await mkdir(join(home, 'bin'));
    await symlink(new URL('../../dist/cli/main.js', import.meta.url).pathname, join(home, 'bin', 'crewroom'));
    for (const shell of ['bash', 'zsh', 'fish'])
      await writeFile(join(home, `completion.${shell}`), (await machine.runProcess(['completion', shell])).stdout);
    await writeFile(join(home, 'rc.bash'), 'source ./completion.bash\nPS1="ready> "\n');
    await writeFile(
      join(home, '.zshrc'),
      'autoload -Uz compinit; compinit -u -D; source ./completion.zsh; PS1="ready> "\n',
    );
  });

  const shells = [
    {program: 'bash', line: 'exec bash --noprofile --rcfile rc.bash -i'},
    {program: 'zsh', line: 'exec zsh -i'},
  ];
  for (const {program, line} of shells) {
    test.runIf(has(program))(`completes a key: ${program}`, async () => {
      const running = machine.spawnLineOnTerminal(line, {environment: environment()});
      await running.until(({stdout}) => plain(stdout).includes('ready> '));
      running.child.stdin.write('crewroom get com.example.a/o\t');
      await running.until(({stdout}) => plain(stdout).includes('com.example.a/one'));
      running.child.stdin.write('\n');
      await running.until(({stdout}) => stdout.includes('"found it"'));
      running.child.stdin.write('exit\n');
      await running.finished;
    });
  }

  const lines = [
    {typed: 'crewroom import backup', completed: 'crewroom import backup\\ of\\ today.ndjson'},
    {typed: 'crewroom start --profile backup', completed: 'crewroom start --profile backup\\ of\\ today.ndjson'},
    {typed: 'crewroom start --profile=backup', completed: 'crewroom start --profile=backup\\ of\\ today.ndjson'},
    {typed: 'crewroom put k @the-f', completed: 'crewroom put k @the-flight.json'},
    {typed: 'crewroom snapshot load the-', completed: 'crewroom snapshot load the-snapshot'},
  ];
  for (const {program, line} of shells) {
    test.runIf(has(program))(`completes names of files and snapshots: ${program}`, async () => {
      for (const name of ['backup of today.ndjson', 'the-flight.json']) await writeFile(join(home, name), '1');
      assert.equal((await machine.run(['snapshot', 'save', 'the-snapshot'], {environment: environment()})).exitCode, 0);
      const running = machine.spawnLineOnTerminal(line, {environment: environment()});
      await running.until(({stdout}) => plain(stdout).includes('ready> '));
      for (const {typed, completed} of lines) {
        running.child.stdin.write(`${typed}\t`);
        await running.until(({stdout}) => plain(stdout).includes(completed));
        running.child.stdin.write('\u0015');
      }
      running.child.stdin.write('exit\n');
      await running.finished;
    });
  }

  test.runIf(has('fish'))('completes a key: fish', async () => {
    const script = 'source completion.fish; complete -C "crewroom get com.example.a/"';
    const {stdout} = await promisify(execFile)('fish', ['-N', '-c', script], {
      cwd: home,
      env: {...process.env, HOME: home, ...environment()},
    });
    assert.equal(stdout, 'com.example.a/one\ncom.example.a/two\n');
  });

  test('runs nothing that is in a key: bash', async () => {
    const script = `source ./completion.bash
      compopt() { :; }
      COMP_WORDS=(crewroom get ''); COMP_CWORD=2
      __crewroom_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const options = {cwd: home, env: {...process.env, ...environment()}};
    const {stdout} = await promisify(execFile)('bash', ['-c', script], options);
    assert.match(stdout, /^com\.example\.a\/one\ncom\.example\.a\/two\n/);
    assert.equal(existsSync(join(home, 'pwned')), false);
  });
});
