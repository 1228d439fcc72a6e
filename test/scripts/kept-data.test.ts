import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, describe, expect, test} from 'vitest';
import {openCrewroom} from '../../src/app.ts';
import {AppError} from '../../src/failures/app-error.ts';
import {DATA_FORMAT} from '../../src/store/disk/data-format.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const kept = join(root, 'test', 'fixtures', 'data');
const work = mkdtempSync(join(tmpdir(), 'crewroom-kept-'));
afterAll(() => rmSync(work, {recursive: true, force: true}));

function keepData(folder: string) {
  return spawnSync(process.execPath, [join(root, 'scripts', 'keep-data.js'), folder], {cwd: root, encoding: 'utf8'});
}

/** Unpacks a fixture. @returns Its data directory. */
function unpack(file: string): string {
  const folder = mkdtempSync(join(work, 'opened-'));
  expect(spawnSync('tar', ['-C', folder, '-xzf', file]).status).toBe(0);
  return join(folder, 'data');
}

/** Opens a data directory, and returns the texts of its entries. */
async function readAll(dataDir: string): Promise<Readonly<Record<string, string>>> {
  await using crewroom = await openCrewroom({dataDir});
  const {entries} = await crewroom.entries.list({values: true});
  return Object.fromEntries(entries.map(({key, json}) => [key, new TextDecoder().decode(json)]));
}

/** Returns the content of each file of a directory. */
function contentOf(dataDir: string): Readonly<Record<string, string>> {
  const files = readdirSync(dataDir, {recursive: true, withFileTypes: true}).filter(entry => entry.isFile());
  const paths = files.map(entry => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map(path => [path, createHash('sha256').update(readFileSync(path)).digest('hex')]));
}

/** Opens a data directory, which reads all entries, or refuses it and changes nothing. */
async function assertReadOrRefused(dataDir: string, format: number): Promise<void> {
  const before = contentOf(dataDir);
  const read = await readAll(dataDir).catch((error: unknown) => error);
  if (format === DATA_FORMAT || !(read instanceof AppError)) return expect(read).toEqual(ENTRIES);
  expect(read.failure.code).toBe('data-format-unsupported');
  expect(contentOf(dataDir)).toEqual(before);
}

/** Entries of every fixture, as `scripts/keep-data.js` writes them. */
const ENTRIES = {
  a: '1.0',
  changed: '2',
  'com.example.hello/settings': '{"volume":1.0,"id":9007199254740993}',
  large: JSON.stringify('x'.repeat(100_000)),
  lasting: 'true',
  list: '[1,[2],{"a":null}]',
  'é/€': '"é"',
};

describe('the data of released formats', () => {
  const made = join(work, `format-${DATA_FORMAT}.tar.gz`);

  test('is made by "npm run keep-data", which never replaces it', () => {
    const {status, stderr} = keepData(work);
    expect([status, stderr]).toEqual([0, '']);
    expect(existsSync(made)).toBe(true);
    expect(keepData(work)).toMatchObject({status: 1, stderr: expect.stringContaining('exists already')});
  });

  test('of this version is read by this version, byte for byte', async () => {
    await assertReadOrRefused(unpack(made), DATA_FORMAT);
  });

  for (const format of [DATA_FORMAT - 1, DATA_FORMAT + 1]) {
    test(`of format ${format}, as any that this version does not read, is refused and not changed`, async () => {
      const dataDir = unpack(made);
      const file = join(dataDir, 'format.json');
      writeFileSync(file, readFileSync(file, 'utf8').replace(`${DATA_FORMAT}`, `${format}`));
      const before = contentOf(dataDir);
      await expect(readAll(dataDir)).rejects.toMatchObject({failure: {code: 'data-format-unsupported'}});
      expect(contentOf(dataDir)).toEqual(before);
    });
  }

  for (const name of existsSync(kept) ? readdirSync(kept) : []) {
    const format = Number(/^format-(\d+)\.tar\.gz$/.exec(name)?.[1]);
    test(`${basename(name)} is read, or refused with advice to export it, and never changed`, async () => {
      await assertReadOrRefused(unpack(join(kept, name)), format);
    });
  }
});
