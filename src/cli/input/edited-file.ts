import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {PRIVATE_FILE_MODE} from '../../files/own.ts';

/** A file that holds a value while the user edits it. It is kept for the user unless it is removed. */
export type EditedFile = Awaited<ReturnType<typeof createEditedFile>>;

/** Maximum length of the part of the key that the name of the file shows, in characters. */
const NAME_LENGTH_MAX = 60;

/** Writes a value to a new file that only this user can read; its name ends in `.json`, for the editor. */
export async function createEditedFile(key: string, json: Uint8Array) {
  const directory = await mkdtemp(join(tmpdir(), 'crewroom-edit-'));
  // Only characters that every file system accepts; the first one does not look like a flag.
  const name = key
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[-.]+/, '')
    .slice(-NAME_LENGTH_MAX);
  // Names of devices, before Windows 11 also with an extension.
  const safe = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name) ? `key-${name}` : name;
  const path = join(directory, `${safe || 'value'}.json`);
  // Editors expect the last line to end with a line break.
  await writeFile(path, Buffer.concat([json, Buffer.from('\n')]), {mode: PRIVATE_FILE_MODE, flag: 'wx'});
  return {path, read: () => readFile(path), remove: () => rm(directory, {recursive: true, force: true})};
}
