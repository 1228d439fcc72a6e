import {join} from 'node:path';
import type {CommonDeps} from '../../domain/common-deps.ts';
import {type OwnForm, ownDocument} from '../own-document.ts';

export interface PageKeyDeps extends Pick<CommonDeps, 'log' | 'randomBytes'> {
  /** Data directory; undefined for a key of this run only. */
  readonly dataDir: string | undefined;
}

/** Size of the key, in bytes: that of the hash of its HMAC. */
const KEY_BYTES = 32;

/**
 * Returns the key from which the secrets of pages are derived: that of the data directory, or a new one. If it cannot be kept, pages lose at the next start
 * what they stored in the browser, and nothing else, so it never rejects.
 */
export async function openPageKey({dataDir, randomBytes, log}: PageKeyDeps): Promise<Uint8Array> {
  const created = randomBytes(KEY_BYTES);
  if (dataDir === undefined) return created;
  const file = ownDocument(join(dataDir, 'page-key'), KEY_FORM);
  const kept = await file.read();
  if (kept !== undefined) return kept;
  await file.replace(created, randomBytes).catch(error => {
    const about = {file: file.path, error};
    log.error('the key of pages is in no file: pages of plugins have other addresses after a restart', about);
  });
  return created;
}

const KEY_FORM: OwnForm<Uint8Array> = {
  bytesMax: 256,
  parse: bytes => {
    const text = bytes.toString().trim();
    if (!/^[A-Za-z0-9_-]{43}$/.test(text)) throw new Error('it is not a key');
    return Buffer.from(text, 'base64url');
  },
  format: key => `${Buffer.from(key).toString('base64url')}\n`,
};
