import {spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, describe, expect, test} from 'vitest';
import {openCrewroom} from '../../src/app.ts';
import {AppError} from '../../src/domain/app-error.ts';
import {DATA_FORMAT} from '../../src/store/disk/data-format.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const kept = join(root, 'test', 'fixtures', 'data');
const work = mkdtempSync(join(tmpdir(), 'crewroom-kept-'));
afterAll(() => rmSync(work, {recursive: true, force: true}));

function keepData(folder: string) {
  return spawnSync(process.execPath, [join(root, 'scripts', 'keep-data.js'), folder], {cwd: root, encoding: 'utf8'});
}

/** Opens a copy of a fixture, and returns the texts of its entries. */
async function readFixture(file: string): Promise<Readonly<Record<string, string>>> {
  const folder = mkdtempSync(join(work, 'opened-'));
  spawnSync('tar', ['-C', folder, '-xzf', file]);
  await using crewroom = await openCrewroom({dataDir: join(folder, 'data')});
  const {entries} = await crewroom.entries.list({values: true});
  return Object.fromEntries(entries.map(({key, json}) => [key, new TextDecoder().decode(json)]));
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
    expect(await readFixture(made)).toEqual(ENTRIES);
  });

  for (const name of existsSync(kept) ? readdirSync(kept) : []) {
    const format = Number(/^format-(\d+)\.tar\.gz$/.exec(name)?.[1]);
    test(`${basename(name)} is read, or refused with advice to export it, and never changed`, async () => {
      const read = await readFixture(join(kept, name)).catch((error: unknown) => error);
      if (format === DATA_FORMAT) expect(read).toEqual(ENTRIES);
      else if (read instanceof AppError) expect(read.failure.code).toBe('data-format-unsupported');
      else expect(read).toEqual(ENTRIES);
    });
  }
});
