import {createHmac, timingSafeEqual} from 'node:crypto';
import {join} from 'node:path';
import type {CommonDeps} from '../../../core/domain/common-deps.ts';
import type {LabelledPlugin, PageProofs} from '../../../core/domain/plugins/page-proofs.ts';
import {type OwnForm, ownDocument} from '../own-document.ts';

export interface PageProofsDeps {
  /** Key from which the secrets of all pages are derived. */
  readonly key: Uint8Array;
  /** Returns the plugins that there are now. */
  readonly list: () => readonly LabelledPlugin[];
}

/** Length of the readable part of a label. With a dash and the secret it has 63 characters, as many as a label may have (RFC 1035 section 2.3.4). */
const NAME_LENGTH_MAX = 30;

/**
 * Digits at the end of a label without a secret that do not become a part of one with it. Labels ended in 8 of today's 16 digits when the first
 * secrets were given, and another label would be another origin, without what the page has stored.
 */
const LATER_DIGITS = 8;

/** Length of a secret, in hexadecimal digits: 128 bits. Host names have no upper case. */
const SECRET_LENGTH = 32;

/** The host names of pages. The same key gives the same names, so that a page keeps what it stored in the browser. */
export class DerivedProofs implements PageProofs {
  readonly #deps: PageProofsDeps;
  /** Labels by ids: an HMAC for each request would be a part of its cost. */
  readonly #labels = new Map<string, Buffer>();

  constructor(deps: PageProofsDeps) {
    this.#deps = deps;
  }

  labelOf(plugin: LabelledPlugin): string | undefined {
    return plugin.label === undefined ? undefined : this.#find(plugin.id, plugin.label).toString();
  }

  findPlugin(label: string): string | undefined {
    if (!LABEL.test(label)) return undefined;
    const given = Buffer.from(label);
    let found: string | undefined;
    // Compares with all of them in constant time: the time shows neither a label nor its plugin.
    for (const {id, label: plain} of this.#deps.list())
      if (plain !== undefined && isEqual(this.#find(id, plain), given)) found = id;
    return found;
  }

  #find(id: string, plain: string): Buffer {
    const known = this.#labels.get(id);
    if (known !== undefined) return known;
    const secret = createHmac('sha256', this.#deps.key).update(id).digest('hex').slice(0, SECRET_LENGTH);
    const label = Buffer.from(`${plain.slice(0, -LATER_DIGITS).slice(0, NAME_LENGTH_MAX)}-${secret}`);
    this.#labels.set(id, label);
    return label;
  }
}

/** A label that may have a secret. Spares all others the comparison. */
const LABEL = /^[a-z0-9_-]{1,30}-[0-9a-f]{32}$/;

function isEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

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
