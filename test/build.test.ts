import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, test} from 'vitest';
import {loadProgram} from '../src/platform/system/code-cache.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Enough of the sources for the script: all of them would take it several times as long. */
const SOURCES = [
  'client',
  'core/domain',
  'core/json',
  'core/time',
  'core/version.ts',
  join('http', 'docs-page'),
  // Used by the pages of failures, the OpenAPI document and the JSON Schemas.
  'platform/config',
  'core/documents',
  'core/failures',
  'platform/paths.ts',
  join('http', 'core'),
  join('http', 'operations'),
  'core/protocol',
  join('plugins', 'background', 'channel'),
  join('plugins', 'background', 'runtime'),
  join('service', 'identity', 'keychain', 'keychain-process.js'),
  join('store', 'lmdb', 'opening-trial-process.js'),
  join('store', 'lmdb', 'read-tables-process.js'),
];

describe('a build of a clone', () => {
  /** A clone of its own: the tests of other files use the `dist/` of this one. */
  const clone = mkdtempSync(join(tmpdir(), 'crewroom-build-'));
  const dist = join(clone, 'dist');
  const version = join(dist, 'core', 'version.js');

  beforeAll(async () => {
    const names = ['scripts', 'docs', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];
    for (const name of [...names, ...SOURCES.map(source => join('src', source))])
      cpSync(join(root, name), join(clone, name), {recursive: true});
    mkdirSync(join(clone, 'src', 'cli'));
    for (const name of ['main.ts', 'program.ts', 'service.ts'])
      writeFileSync(join(clone, 'src', 'cli', name), "export {VERSION} from '../core/version.ts';\n");
    mkdirSync(join(clone, 'console'));
    cpSync(join(root, 'console', 'vite.config.ts'), join(clone, 'console', 'vite.config.ts'));
    writeFileSync(join(clone, 'console', 'index.html'), '<!doctype html><title>a console</title>');
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
    assert.equal(await build(), 0);
  });
  afterAll(() => rmSync(clone, {recursive: true, force: true}));

  test('bundles all commands into one file, whose modules find other files from where they were', () => {
    const file = join(dist, 'cli', 'program.cjs');
    const {exports: program} = loadProgram<{readonly VERSION: string}>({file, digest: ''}, undefined);
    const {version: expected} = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')) as {
      readonly version: string;
    };
    assert.equal(program.VERSION, expected);
  });

  test('starts the command line by a CommonJS file, and leaves none of the modules that it bundles', () => {
    assert.deepEqual(listFiles(join(dist, 'cli')), ['main.js', 'package.json', 'program.cjs', 'service.cjs']);
    const {VERSION} = createRequire(import.meta.url)(join(dist, 'cli', 'main.js')) as {readonly VERSION: string};
    assert.match(VERSION, /^[0-9.]+$/);
  });

  test('writes a digest of each program into what loads it with its compiled code', () => {
    const main = readFileSync(join(root, 'dist', 'cli', 'main.js'), 'utf8');
    for (const name of ['program.cjs', 'service.cjs']) {
      const program = readFileSync(join(root, 'dist', 'cli', name));
      assert.ok(main.includes(createHash('sha256').update(program).digest('hex')), name);
    }
  });

  test('keeps what only the other commands load out of a service', () => {
    const service = readFileSync(join(root, 'dist', 'cli', 'service.cjs'), 'utf8');
    const modules = Array.from(service.matchAll(/^ *\/\/ (\S+\.m?js)$/gm), match => match[1] ?? '');
    assert.ok(modules.includes('commands/start.js'));
    const others = modules.filter(path => /^commands\/|@clack|@bomb\.sh|^doctor\/|\.\.\/workbench\//.test(path));
    assert.deepEqual(others, ['commands/start.js']);
  });

  test('loads nothing in a program that its compiled code lacks: no bundle that each start needs, nothing by import()', () => {
    const text = readFileSync(join(root, 'dist', 'cli', 'service.cjs'), 'utf8');
    assert.doesNotMatch(text, /require\("[./]*bundles\/(lmdb|pino|valibot)\//);
    for (const name of ['program.cjs', 'service.cjs'])
      assert.doesNotMatch(
        readFileSync(join(root, 'dist', 'cli', name), 'utf8'),
        /(?:\b(?:await|return|void) |[=>(,:?[] ?)import\(/,
        name,
      );
  });

  test('does nothing if the sources and the built files are the same', async () => {
    const {ino} = statSync(version);
    assert.equal(await build(), 0);
    assert.equal(statSync(version).ino, ino);
  });

  test('replaces a file that was changed, removes one that is no longer built, and none of a running service, not even for a moment', async () => {
    const files = listFiles(dist);
    const before = readFileSync(version, 'utf8');
    writeFileSync(version, before.replace('VERSION', 'NOISREV'));
    writeFileSync(join(dist, 'stale.js'), '');
    let exitCode: number | null | undefined;
    void build().then(code => {
      exitCode = code;
    });
    const missing = new Set<string>();
    const needed = files.filter(file => file !== '.built');
    while (exitCode === undefined) {
      for (const file of needed) if (!existsSync(join(dist, file))) missing.add(file);
      await setTimeout(1);
    }
    assert.equal(exitCode, 0);
    assert.deepEqual([...missing], []);
    assert.deepEqual(listFiles(dist), files);
    assert.equal(readFileSync(version, 'utf8'), before);
  });

  test('changes nothing if it fails, and leaves nothing beside it', async () => {
    const before = readdirSync(clone).sort();
    const built = readFileSync(version, 'utf8');
    writeFileSync(join(clone, 'src', 'core', 'version.ts'), 'export const VERSION: number = "not a number";\n');
    assert.equal(await build(), 1);
    assert.equal(readFileSync(version, 'utf8'), built);
    assert.deepEqual(readdirSync(clone).sort(), before);
  });

  /** Runs the script. @returns Its exit code. */
  async function build(): Promise<number | null> {
    const child = spawn(process.execPath, [join(clone, 'scripts', 'build.js')], {stdio: 'ignore'});
    const [exitCode] = (await once(child, 'exit')) as [number | null];
    return exitCode;
  }
});

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, {recursive: true, encoding: 'utf8'}).sort();
}
