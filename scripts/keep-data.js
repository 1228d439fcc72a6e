#!/usr/bin/env node
// Makes the fixture of the data format: a data directory, as a service of this version writes it, packed into one file. Each format that was
// released has one, so that later versions are tested with the data of every earlier one.
import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = process.argv[2] ?? join(root, 'test', 'fixtures', 'data');
const work = mkdtempSync(join(tmpdir(), 'crewroom-data-'));
try {
  const dataDir = join(work, 'data');
  await fill(dataDir);
  const {format} = JSON.parse(readFileSync(join(dataDir, 'format.json'), 'utf8'));
  const file = join(folder, `format-${format}.tar.gz`);
  // A released format never changes, so neither does its fixture.
  if (existsSync(file)) throw new Error(`${file} exists already: a format that was released stays as it is`);
  mkdirSync(folder, {recursive: true});
  // The reserve only takes space, and is made again.
  const {status, stderr} = spawnSync('tar', ['-C', work, '--exclude', 'reserve', '-czf', file, 'data'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`tar failed: ${stderr}`);
  process.stdout.write(`${file}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(work, {recursive: true, force: true});
}

/** Fills the store of a data directory, and closes it. */
async function fill(dataDir) {
  const {openCrewroom} = await import('crewroom');
  const crewroom = await openCrewroom({dataDir});
  try {
    await writeAll(crewroom.entries);
  } finally {
    await crewroom[Symbol.asyncDispose]();
  }
}

/** Writes values of every kind, keys of every kind, times to live, changes and deletions. */
async function writeAll(entries) {
  const values = {
    a: '1.0',
    'com.example.hello/settings': '{"volume":1.0,"id":9007199254740993}',
    'é/€': '"é"',
    list: '[1,[2],{"a":null}]',
  };
  for (const [key, text] of Object.entries(values)) await entries.put(key, Buffer.from(text));
  await entries.put('large', 'x'.repeat(100_000));
  await entries.put('lasting', true, {ttlSeconds: 300_000_000});
  await entries.put('changed', 1);
  await entries.put('changed', 2);
  await entries.put('deleted', 1);
  await entries.delete('deleted');
}
