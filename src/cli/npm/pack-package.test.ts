import {execFileSync} from 'node:child_process';
import {cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {packNpmPackage, writeTar} from './own-packages.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
let work: string;
let service: Awaited<ReturnType<typeof packNpmPackage>>;
beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), 'crewroom-test-'));
  service = await packNpmPackage(ROOT);
});
afterAll(() => rmSync(work, {recursive: true}));

/** Unpacks an archive with the program of the system. @returns Its folder. */
function unpack(bytes: Uint8Array, name: string): string {
  const folder = join(work, name);
  mkdirSync(folder);
  writeFileSync(`${folder}.tgz`, bytes);
  execFileSync('tar', ['-xzf', `${folder}.tgz`, '-C', folder]);
  return join(folder, 'package');
}

function listedByTar(bytes: Uint8Array): readonly string[] {
  return execFileSync('tar', ['-tzf', '-'], {input: bytes, encoding: 'utf8'}).trim().split('\n').sort();
}

describe('packNpmPackage()', () => {
  for (const folder of ['', 'packages/background-sdk', 'packages/ui-sdk', 'packages/client'])
    test(`packs the files that npm packs, of ${folder === '' ? 'the service' : folder}`, async () => {
      const {bytes, fileName} = folder === '' ? service : await packNpmPackage(join(ROOT, folder));
      const words = ['pack', '--dry-run', '--json', '--silent', '--ignore-scripts'];
      const [packed] = JSON.parse(execFileSync('npm', words, {cwd: join(ROOT, folder), encoding: 'utf8'})) as [
        {readonly filename: string; readonly files: readonly {readonly path: string}[]},
      ];
      expect(fileName).toBe(packed.filename);
      expect(listedByTar(bytes)).toEqual(packed.files.map(({path}) => `package/${path}`).sort());
    });

  test('packs the same bytes again, also from where it is installed', async () => {
    const installed = unpack(service.bytes, 'installed');
    expect(Buffer.compare((await packNpmPackage(installed)).bytes, service.bytes)).toBe(0);
  });

  test('leaves scripts and tools out of package.json, and for the registry what forbids to publish it', async () => {
    const read = (bytes: Uint8Array, name: string): Record<string, unknown> =>
      JSON.parse(readFileSync(join(unpack(bytes, name), 'package.json'), 'utf8')) as Record<string, unknown>;
    const manifest = read(service.bytes, 'manifest');
    expect(manifest).toMatchObject({name: 'crewroom', private: true, bin: {crewroom: 'dist/cli/main.js'}});
    for (const member of ['scripts', 'devDependencies', 'workspaces']) expect(manifest).not.toHaveProperty(member);
    const {bytes} = await packNpmPackage(ROOT, {forRegistry: true});
    expect(read(bytes, 'manifest-for-registry')).not.toHaveProperty('private');
  });

  test('keeps programs executable', () => {
    const list = execFileSync('tar', ['-tvzf', '-'], {input: service.bytes, encoding: 'utf8'});
    expect(list).toMatch(/^-rwxr-xr-x .* package\/dist\/cli\/main\.js$/m);
    expect(list).toMatch(/^-rw-r--r-- .* package\/dist\/app\/index\.js$/m);
  });

  test('fails if a file of the package is missing that has to be there', async () => {
    cpSync(join(ROOT, 'packages', 'client', 'README.md'), join(work, 'README.md'));
    await expect(packNpmPackage(work)).rejects.toThrow('package.json');
  });
});

test('writeTar() refuses a path that the form cannot have', () => {
  const file = {bytes: new Uint8Array(), isExecutable: false};
  expect(() => writeTar([{...file, path: 'ä'.repeat(51)}])).toThrow('more than 100 bytes');
  expect(listedByTar(gzipSync(writeTar([{...file, path: 'a'.repeat(100)}])))).toEqual(['a'.repeat(100)]);
});
