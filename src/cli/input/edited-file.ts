import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

/** A file that holds a value while somebody edits it. */
export interface EditedFile {
  readonly path: string;
  read(): Promise<Uint8Array>;
  /** Removes it; what nobody removes is kept for its owner. */
  remove(): Promise<void>;
}

/** The most of a key that the name of its file shows, in characters. */
const NAME_LENGTH_MAX = 60;

/** Writes a value to a file of its own that only this user can read, named so that editors take it for JSON. */
export async function createEditedFile(key: string, json: Uint8Array): Promise<EditedFile> {
  const directory = await mkdtemp(join(tmpdir(), 'crewroom-edit-'));
  // Only what every file system takes, and nothing that an option could begin with.
  const name = key
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[-.]+/, '')
    .slice(-NAME_LENGTH_MAX);
  const path = join(directory, `${name || 'value'}.json`);
  // Editors end the last line, and some complain where it is not.
  await writeFile(path, Buffer.concat([json, Buffer.from('\n')]), {mode: 0o600, flag: 'wx'});
  return {path, read: () => readFile(path), remove: () => rm(directory, {recursive: true, force: true})};
}
