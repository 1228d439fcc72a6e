import assert from 'node:assert/strict';
import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, test} from 'vitest';
import {SAMPLE_DOCUMENT} from '../../src/service/identity/sample-document.ts';
import {createToken} from '../support/access-tokens.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {startService, type TestService} from '../support/service.ts';
import {createMachine, type Finished} from './crewroom.ts';

const machine = await createMachine();
const {home} = machine;

/** How programs of Windows write a text: with a byte order mark, or in UTF-16, as `>` of PowerShell 5.1 does. */
const WRITTEN = [
  {how: 'UTF-8 with a byte order mark', encode: (text: string) => Buffer.from(`\ufeff${text}`)},
  {how: 'UTF-16', encode: (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')},
];

/** An encoding that is refused. */
const encodeBare = (text: string): Buffer => Buffer.from(text, 'utf16le');

const EXPORT = [
  '{"format":"crewroom-export","version":1}',
  '{"key":"imported","value":"Zoë"}',
  '{"end":true,"entries":1}',
].join('\r\n');

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await startService({ephemeral: true});
  token = await createToken(service, ['entries:read:', 'identity:read'], {name: 'reader'});
});
afterAll(() => service[Symbol.asyncDispose]());

const identity = {
  ...SAMPLE_DOCUMENT,
  va_user: {...SAMPLE_DOCUMENT.va_user, firstName: 'Zoë'},
};

/** A use of a text: the command that reads it from `file`, which is in the home directory, or from standard input. */
interface Use {
  readonly what: string;
  readonly text: () => string;
  readonly file?: string;
  readonly args: () => readonly string[];
  readonly succeeds: (finished: Finished) => void | Promise<void>;
}

const port = (): readonly string[] => ['--port', String(service.port)];
const printed =
  (text: string) =>
  ({exitCode, stdout, stderr}: Finished): void => {
    assert.equal(stderr, '');
    assert.equal(exitCode, 0);
    assert.ok(stdout.includes(text), stdout);
  };
const stored =
  (key: string, value: string) =>
  async ({exitCode, stderr}: Finished): Promise<void> => {
    assert.deepEqual({exitCode, stderr}, {exitCode: 0, stderr: ''});
    const entry = await service.crewroom.entries.get(key);
    assert.equal(Buffer.from(entry?.json ?? []).toString(), value);
  };

/** Runs a command of a service of its own, which prints its identity or a path of it. */
const serve = (flags: readonly string[], path: string): readonly string[] => [
  'run',
  ...flags,
  '--',
  process.execPath,
  '-e',
  `fetch(process.env.CREWROOM_URL + ${JSON.stringify(path)}).then(async r => process.exit((await r.text()).includes('Zoë') ? 0 : 3))`,
];
const served = ({exitCode, stderr}: Finished): void => assert.deepEqual({exitCode, stderr}, {exitCode: 0, stderr: ''});

const USES: readonly Use[] = [
  {
    what: 'a value in a file',
    text: () => '{"name": "Zoë"}\r\n',
    file: 'value.json',
    args: () => ['put', ...port(), 'from-file', '@value.json'],
    succeeds: stored('from-file', '{"name": "Zoë"}'),
  },
  {
    what: 'a value on standard input',
    text: () => '"Zoë"\r\n',
    args: () => ['put', ...port(), 'from-input', '-'],
    succeeds: stored('from-input', '"Zoë"'),
  },
  {
    what: 'a patch on standard input',
    text: () => '{"a":"Zoë"}',
    args: () => ['patch', ...port(), 'patched', '-'],
    succeeds: stored('patched', '{"a":"Zoë"}'),
  },
  {
    what: 'an import from a file',
    text: () => EXPORT,
    file: 'export.ndjson',
    args: () => ['import', ...port(), 'export.ndjson', '--json'],
    succeeds: stored('imported', '"Zoë"'),
  },
  {
    what: 'an import from standard input',
    text: () => EXPORT,
    args: () => ['import', ...port(), '-', '--json'],
    succeeds: stored('imported', '"Zoë"'),
  },
  {
    what: 'a configuration',
    text: () => '{"logLevel": "debug"}',
    file: 'config.json',
    args: () => ['config', '--config', 'config.json', '--json'],
    succeeds: printed('"debug"'),
  },
  {
    what: 'a token',
    text: () => `${token}\r\n`,
    file: 'token',
    args: () => ['identity', ...port(), '--token-file', 'token'],
    succeeds: printed('CRW0042'),
  },
  {
    what: 'a profile',
    text: () => JSON.stringify(identity),
    file: 'profile.json',
    args: () => serve(['--profile', 'profile.json'], '/api/identity'),
    succeeds: served,
  },
  {
    what: 'a configuration of plugins',
    text: () => '{"address": "Zoë"}',
    file: 'plugin-config.json',
    args: () => serve(['--plugin-config', 'plugin-config.json'], '/api/config'),
    succeeds: served,
  },
  {
    what: 'the manifest of a plugin',
    text: () => manifestOf('com.example.zoe', {name: 'Zoë'}),
    file: 'com.example.zoe/plugin.json',
    args: () => serve(['--dev-plugin', 'com.example.zoe'], '/api/plugins'),
    succeeds: served,
  },
  {
    what: 'an airline',
    text: () =>
      JSON.stringify({
        ...SAMPLE_DOCUMENT.airline,
        settings: {...SAMPLE_DOCUMENT.airline.settings, airlineName: 'Zoë Air', scriptURL: 'http://127.0.0.1:9/'},
      }),
    file: 'airline.json',
    args: () => ['run', '--airline', 'airline.json', '--', process.execPath, '-e', ''],
    succeeds: served,
  },
];

describe('a text that people wrote', () => {
  beforeAll(() => writePlugin(join(home, 'com.example.zoe')));

  const use = async ({text, file, args}: Use, encode: (text: string) => Buffer): Promise<Finished> => {
    const bytes = encode(text());
    if (file === undefined) return machine.run(args(), {input: bytes});
    await writeFile(join(home, file), bytes, {mode: 0o600});
    return machine.run(args());
  };

  for (const each of USES) {
    for (const {how, encode} of WRITTEN)
      test(`is read in ${how}: ${each.what}`, async () => {
        await each.succeeds(await use(each, encode));
      });

    test(`is refused by name in an encoding that cannot be told for sure: ${each.what}`, async () => {
      const {exitCode, stderr} = await use(each, encodeBare);
      assert.notEqual(exitCode, 0);
      assert.match(stderr, /UTF-16 without a byte order mark, not UTF-8/);
    });
  }
});
