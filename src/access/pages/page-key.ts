import {join} from 'node:path';
import type {Log} from '../../domain/log.ts';
import {readOwnFile, writeOwnFile} from '../own-file.ts';

export interface PageKeyDeps {
  /** Data directory; undefined for a key of this run only. */
  readonly dataDir: string | undefined;
  readonly randomBytes: (sizeBytes: number) => Uint8Array;
  readonly log: Log;
}

/** Name of the file with the key, in a data directory. */
const KEY_FILE = 'page-key';

/** Maximum size of the file, in bytes: one key. */
const FILE_BYTES_MAX = 256;

/** Size of the key, in bytes: that of the hash of its HMAC. */
const KEY_BYTES = 32;

/**
 * Returns the key from which the secrets of pages are derived: that of the data directory, or a new one. If it cannot be kept, pages lose at the next start
 * what they stored in the browser, and nothing else, so it never rejects.
 */
export async function openPageKey({dataDir, randomBytes, log}: PageKeyDeps): Promise<Uint8Array> {
  const created = randomBytes(KEY_BYTES);
  if (dataDir === undefined) return created;
  const file = join(dataDir, KEY_FILE);
  const kept = await readKey(file);
  if (kept !== undefined) return kept;
  const text = `${Buffer.from(created).toString('base64url')}\n`;
  const randomName = (): string => Buffer.from(randomBytes(8)).toString('hex');
  await writeOwnFile(file, text, {randomName, followsLink: true}).catch(error => {
    log.error('the key of pages is in no file: pages of plugins have other addresses after a restart', {file, error});
  });
  return created;
}

/** Reads the key. @returns Undefined if there is none, it is damaged, or another user could have written it. */
async function readKey(file: string): Promise<Uint8Array | undefined> {
  try {
    const text = (await readOwnFile(file, {bytesMax: FILE_BYTES_MAX, followsLink: true})).toString().trim();
    return /^[A-Za-z0-9_-]{43}$/.test(text) ? Buffer.from(text, 'base64url') : undefined;
  } catch {
    return undefined;
  }
}
