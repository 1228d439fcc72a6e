import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {readdir, readFile, stat, writeFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {describe, test} from 'vitest';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {createMachine, type Finished} from './crewroom.ts';

const machine = await createMachine();
const {home} = machine;

let folders = 0;

/** Writes a plugin with these settings. @returns The name of its folder. */
async function writeSettings(availableSettings: object): Promise<string> {
  folders += 1;
  const folder = `plugin-${folders}`;
  await writePlugin(join(home, folder), {'plugin.json': manifestOf('com.example.a', {availableSettings})});
  return folder;
}

const types = (...args: readonly string[]): Promise<Finished> => machine.run(['plugin', 'types', ...args]);

const user = (setting: object): object => ({settingType: 'user', ...setting});

describe('crewroom plugin types', () => {
  const settings: readonly {readonly what: string; readonly setting: object; readonly member: string}[] = [
    {what: 'a boolean with a default', setting: user({type: 'boolean', default: true}), member: 'a: boolean;'},
    {what: 'a string without one', setting: user({type: 'string'}), member: 'a?: string;'},
    {
      what: 'a number of the airline',
      setting: {settingType: 'airline', type: 'number', default: 5},
      member: 'a?: number;',
    },
    {what: 'a list', setting: user({type: 'list', options: ['x', 7], default: 'x'}), member: 'a: "x" | 7;'},
    {
      what: 'a list with labels',
      setting: user({type: 'list', options: {x: 'X', 1: 'One'}}),
      member: 'a?: "1" | 1 | "x";',
    },
    {what: 'a list without options', setting: user({type: 'list'}), member: 'a?: never;'},
    {what: 'a default of another type', setting: user({type: 'string', default: false}), member: 'a: string | false;'},
    {what: 'a default that is an object', setting: user({type: 'number', default: {}}), member: 'a: number | unknown;'},
  ];
  for (const {what, setting, member} of settings) {
    test(`prints the type of ${what}`, async () => {
      const {exitCode, stdout} = await types(await writeSettings({a: setting}));
      assert.deepEqual([exitCode, /readonly (a.*)/.exec(stdout)?.[1]], [0, member]);
    });
  }

  test('quotes names, and keeps a description in its comment', async () => {
    const folder = await writeSettings({
      'call-sign': user({type: 'string', name: 'Call sign', description: 'of all */ flights\nof the pilot'}),
    });
    const {stdout} = await types(folder);
    assert.ok(
      stdout.includes('  /** Call sign: of all * / flights of the pilot */\n  readonly "call-sign"?: string;\n'),
    );
  });

  test('writes a module that a background is checked with', async () => {
    const folder = await writeSettings({volume: user({type: 'number', default: 5})});
    assert.equal((await types(folder, '--output', `${folder}/settings.ts`)).stdout, '');
    const background = new URL('../../packages/background-sdk/src/index.ts', import.meta.url).pathname;
    const source = (name: string): string => `
      import {defineBackground} from ${JSON.stringify(background)};
      import type {AirlineSettings, UserSettings} from './settings.ts';
      export const none: AirlineSettings = {};
      defineBackground<UserSettings>({onSettingsUpdate({${name}}) { ${name}.toFixed(); }});`;
    await writeFile(join(home, folder, 'right.ts'), source('volume'));
    await writeFile(join(home, folder, 'wrong.ts'), source('volumes'));
    const compiled = compile(join(home, folder));
    assert.match(
      compiled,
      /^wrong\.ts\(5,\d+\): error TS2339: Property 'volumes' does not exist on type 'UserSettings'/m,
    );
    assert.doesNotMatch(compiled, /right\.ts/);
  });

  test('leaves a file that is right already, and nothing beside it', async () => {
    const folder = await writeSettings({});
    const file = join(home, folder, 'settings.ts');
    await types(folder, '--output', `${folder}/settings.ts`);
    const {ino} = await stat(file);
    assert.match(await readFile(file, 'utf8'), /type UserSettings = Readonly<Record<string, never>>;/);
    await types(folder, '--output', `${folder}/settings.ts`);
    assert.equal((await stat(file)).ino, ino);
    assert.deepEqual((await readdir(join(home, folder))).sort(), ['plugin.json', 'settings.ts']);
  });

  test('writes no character that is not seen, into literals escaped, and none into comments', async () => {
    const hostile = 'a\u0007\u009b31m\u202e\u2066\u200f\u2028b\u007f';
    const folder = await writeSettings({
      [hostile]: user({
        type: 'list',
        options: [hostile],
        default: `${hostile}!`,
        name: hostile,
        description: `*\u202e/x`,
      }),
      other: user({type: 'boolean', default: hostile}),
    });
    const {stdout} = await types(folder);
    await types(folder, '--output', `${folder}/settings.ts`);
    const escaped = String.raw`"a\u0007\u009b31m\u202e\u2066\u200f\u2028b\u007f`;
    for (const text of [stdout, await readFile(join(home, folder, 'settings.ts'), 'utf8')]) {
      assert.match(text, /^[\x20-\x7e\n]*$/);
      assert.ok(text.includes(`  /** a31m b: * /x */\n  readonly ${escaped}": ${escaped}" | ${escaped}!";\n`), text);
      assert.ok(text.includes(`  readonly other: boolean | ${escaped}";\n`), text);
    }
  });

  test('prints the id and the types as JSON', async () => {
    const {stdout} = await types(await writeSettings({}), '--json');
    const {id, types: text} = JSON.parse(stdout) as {readonly id: string; readonly types: string};
    assert.equal(id, 'com.example.a');
    assert.match(text, /UserSettings/);
  });

  test('names all problems of a manifest, and writes nothing', async () => {
    const folder = 'without-names';
    const manifest = manifestOf('com.example.a', {name: '', version: undefined});
    await writePlugin(join(home, folder), {'plugin.json': manifest});
    const {exitCode, stdout, stderr} = await types(folder, '--output', `${folder}/settings.ts`);
    assert.deepEqual([exitCode, stdout], [1, '']);
    assert.match(stderr, /2 problems\n {2}\$\.name has to be .*\n {2}\$\.version is missing\n/);
    assert.deepEqual(await readdir(join(home, folder)), ['plugin.json']);
  });

  test('says that there is no manifest, and that a file cannot be written', async () => {
    const missing = await types('nowhere');
    assert.deepEqual(
      [missing.exitCode, missing.stderr.split('\n')[0]],
      [1, 'crewroom: Cannot use the plugin "nowhere": it has no plugin.json'],
    );
    const unwritable = await types(await writeSettings({}), '--output', 'nowhere/settings.ts');
    assert.equal(unwritable.exitCode, 1);
    assert.match(unwritable.stderr, /"nowhere\/settings\.ts"/);
  });
});

/** Checks the sources of a folder strictly. @returns What the compiler prints. */
function compile(folder: string): string {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  const options = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noEmit',
    '--module',
    'nodenext',
    '--target',
    'es2023',
  ];
  const others = ['--allowImportingTsExtensions', '--types', '', '--lib', 'es2023,dom', '--ignoreConfig'];
  return spawnSync(process.execPath, [compiler, ...options, ...others, 'right.ts', 'wrong.ts'], {
    cwd: folder,
    encoding: 'utf8',
  }).stdout;
}
