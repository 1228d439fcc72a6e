import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {afterAll, describe, expect, test} from 'vitest';
import {CONVERTED_FORMAT, DATA_FORMAT} from '../../src/store/disk/data-format.ts';
import {importText} from '../support/exports.ts';
import {openTestService} from '../support/service.ts';

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
  await using crewroom = await openTestService({dataDir});
  const {entries} = await crewroom.entries.list({values: true});
  return Object.fromEntries(entries.map(({key, json}) => [key, new TextDecoder().decode(json)]));
}

/** Returns the content of each file of a directory. */
function contentOf(dataDir: string): Readonly<Record<string, string>> {
  const files = readdirSync(dataDir, {recursive: true, withFileTypes: true}).filter(entry => entry.isFile());
  const paths = files.map(entry => join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map(path => [path, createHash('sha256').update(readFileSync(path)).digest('hex')]));
}

/** Returns the format of a data directory. */
function formatOf(dataDir: string): number {
  return JSON.parse(readFileSync(join(dataDir, 'format.json'), 'utf8')).format;
}

/** Opens a data directory, and asserts that it has the present format and all entries then, and if it was older a snapshot with them. */
async function assertRead(dataDir: string, format: number): Promise<void> {
  expect(await readAll(dataDir)).toEqual(ENTRIES);
  expect(formatOf(dataDir)).toBe(DATA_FORMAT);
  const snapshots = format === DATA_FORMAT ? [] : readdirSync(`${dataDir}-snapshots`);
  expect(snapshots).toHaveLength(format === DATA_FORMAT ? 0 : 1);
  for (const name of snapshots) {
    expect(name).toMatch(/^before-upgrade-\d{8}t\d{9}z\.ndjson$/);
    const text = readFileSync(join(`${dataDir}-snapshots`, name), 'utf8');
    await using other = await openTestService({ephemeral: true});
    expect(await importText(other.transfer, text)).toMatchObject({entries: Object.keys(ENTRIES).length});
  }
  await using crewroom = await openTestService({dataDir});
  const transaction = {id: 'an-id', operations: [{kind: 'put', key: 'new', value: 1}]} as const;
  const applied = await crewroom.entries.transact(transaction);
  expect(await crewroom.entries.transact(transaction)).toEqual(applied);
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
    await assertRead(unpack(made), DATA_FORMAT);
  });

  for (const format of [CONVERTED_FORMAT - 1, DATA_FORMAT + 1]) {
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
    // Of a format there may be others too, such as of a service that was killed.
    const format = Number(/^format-(\d+)/.exec(name)?.[1]);
    test(`${basename(name)} is read, after a snapshot if it is older`, async () => {
      await assertRead(unpack(join(kept, name)), format);
    });

    if (format === CONVERTED_FORMAT)
      test(`${basename(name)} is refused if there is no place for a snapshot, and not converted`, async () => {
        const dataDir = unpack(join(kept, name));
        writeFileSync(`${dataDir}-snapshots`, '');
        await expect(readAll(dataDir)).rejects.toMatchObject({
          failure: {code: 'snapshot-failed', directory: `${dataDir}-snapshots`},
          advice: expect.stringMatching(/was not converted/),
        });
        expect(formatOf(dataDir)).toBe(format);
        rmSync(`${dataDir}-snapshots`);
        await assertRead(dataDir, format);
      });
  }
});
