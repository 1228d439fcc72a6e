import {mkdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gunzipSync} from 'node:zlib';
import type {ReadEntry} from './history.ts';

/** A data directory of format 2, and an export of it, as version 0.1.0 wrote them. */
const FIXTURE = fileURLToPath(new URL('fixtures/format-2/', import.meta.url));

/** Makes a data directory as an older version of the service left it. */
export async function writeOlderDirectory(dataDir: string): Promise<void> {
  const store = join(dataDir, 'store');
  await mkdir(store, {recursive: true, mode: 0o700});
  await writeFile(join(store, 'data.mdb'), await readFixture('data.mdb.gz'), {mode: 0o600});
  await writeFile(join(dataDir, 'format.json'), '{"format":2}\n', {mode: 0o600});
}

/** What is in {@link writeOlderDirectory}. */
export interface OlderContent {
  readonly revision: number;
  readonly entries: readonly ReadEntry[];
}

/** Reads the export that was made of {@link writeOlderDirectory} when it was current. */
export async function readOlderContent(): Promise<OlderContent> {
  const [header = '', ...lines] = String(await readFixture('entries.ndjson.gz'))
    .trim()
    .split('\n');
  const {revision} = JSON.parse(header) as {readonly revision: string};
  return {revision: Number(revision), entries: lines.slice(0, -1).map(readLine)};
}

const VALUE = ',"value":';

function readLine(line: string): ReadEntry {
  const {key, revision, expiresAt} = JSON.parse(line) as {key: string; revision: string; expiresAt?: string};
  // The value is the last member, and the text of it is what counts. No key of this export holds such a text.
  const text = line.slice(line.indexOf(VALUE) + VALUE.length, -1);
  return {
    key,
    revision: Number(revision),
    text,
    expiresAtMs: expiresAt === undefined ? undefined : Date.parse(expiresAt),
  };
}

async function readFixture(name: string): Promise<Buffer> {
  return gunzipSync(await readFile(join(FIXTURE, name)));
}
