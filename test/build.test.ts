import assert from 'node:assert/strict';
import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setImmediate} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {afterAll, beforeAll, describe, test} from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

describe('a build of a clone', () => {
  /** A clone of its own: the tests of other files use the `dist/` of this one. */
  const clone = mkdtempSync(join(tmpdir(), 'crewroom-build-'));
  const dist = join(clone, 'dist');

  beforeAll(() => {
    for (const name of ['src', 'scripts', 'package.json', 'tsconfig.json', 'tsconfig.build.json'])
      cpSync(join(root, name), join(clone, name), {recursive: true});
    cpSync(join(root, 'dist'), dist, {recursive: true});
    symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  });
  afterAll(() => rmSync(clone, {recursive: true, force: true}));

  test('removes no file of a running service, not even for a moment, and removes files that are no longer built', async () => {
    const files = listFiles(dist);
    writeFileSync(join(dist, 'stale.js'), '');
    const built = build();
    const missing = new Set<string>();
    while (built.exitCode === null) {
      for (const file of files) if (!existsSync(join(dist, file))) missing.add(file);
      await setImmediate();
    }
    assert.equal(built.exitCode, 0);
    assert.deepEqual([...missing], []);
    assert.deepEqual(listFiles(dist), files);
  });

  test('changes nothing if it fails, and leaves nothing beside it', async () => {
    const before = readdirSync(clone).sort();
    const version = readFileSync(join(dist, 'version.js'), 'utf8');
    writeFileSync(join(clone, 'src', 'version.ts'), 'export const VERSION: number = "not a number";\n');
    const built = build();
    if (built.exitCode === null) await once(built, 'exit');
    assert.equal(built.exitCode, 1);
    assert.equal(readFileSync(join(dist, 'version.js'), 'utf8'), version);
    assert.deepEqual(readdirSync(clone).sort(), before);
  });

  function build(): ChildProcess {
    return spawn(process.execPath, [join(clone, 'scripts', 'build.js')], {stdio: 'ignore'});
  }
});

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder, {recursive: true, encoding: 'utf8'}).sort();
}
