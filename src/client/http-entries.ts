import type {
  Committed,
  DeleteOptions,
  Entries,
  ListOptions,
  Page,
  PutOptions,
  Transaction,
  WriteOptions,
  Written,
} from '../domain/entries.ts';
import {type Entry, type EntryInfo, type Expectation, NO_REVISION, type Revision} from '../domain/entry.ts';
import {AppError} from '../domain/failure.ts';
import {encodeText, type JsonText} from '../domain/json-text.ts';
import {type Key, parseCursor, parseKey, parsePrefix} from '../domain/key.ts';
import {assertTtl} from '../domain/time-to-live.ts';
import {formatTransaction} from './format-transaction.ts';
import {type Answer, parseAnswer, type Transport, unexpectedAnswer} from './transport.ts';

/** The entries of a running service. Keys are checked here too, since a URL cannot carry every wrong one. */
export class HttpEntries implements Entries {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async get(key: string): Promise<Entry | undefined> {
    const checked = parseKey(key);
    try {
      const answer = await this.#transport.send('GET', entryPath(checked));
      const json = answer.bytes as JsonText;
      const times = readTimes(answer.headers.get('Updated-At'), answer.headers.get('Expires-At'));
      return {key: checked, revision: readRevision(answer), sizeBytes: json.length, ...times, json};
    } catch (error) {
      if (error instanceof AppError && error.failure.code === 'no-entry') return undefined;
      throw error;
    }
  }

  async put(key: string, json: string | Uint8Array, {expected, ttlSeconds}: PutOptions = {}): Promise<Written> {
    const path = `${entryPath(parseKey(key))}${formatTtl(ttlSeconds)}`;
    const headers = {'Content-Type': 'application/json', ...preconditionOf(expected)};
    // Copied at the call: it may wait for its turn, and the caller's bytes may then be something else.
    const body = typeof json === 'string' ? encodeText(json) : json.slice();
    const answer = await this.#transport.send('PUT', path, {headers, body});
    return {revision: readRevision(answer), created: answer.status === 201};
  }

  async patch(key: string, patch: string | Uint8Array, {expected}: WriteOptions = {}): Promise<Committed> {
    const path = entryPath(parseKey(key));
    const headers = {'Content-Type': 'application/merge-patch+json', ...preconditionOf(expected)};
    const body = typeof patch === 'string' ? encodeText(patch) : patch;
    return {revision: readRevision(await this.#transport.send('PATCH', path, {headers, body}))};
  }

  async touch(key: string, ttlSeconds: number | null): Promise<Committed> {
    const checked = parseKey(key);
    if (ttlSeconds !== null) assertTtl(ttlSeconds);
    return this.transact({operations: [{kind: 'touch', key: checked, ttlSeconds}]});
  }

  async transact(transaction: Transaction): Promise<Committed> {
    const headers = {'Content-Type': 'application/json'};
    const body = formatTransaction(transaction);
    const answer = await this.#transport.send('POST', '/api/transactions', {headers, body});
    return {revision: Number(parseAnswer<{readonly revision: string}>(answer).revision)};
  }

  async delete(key: string, {expected}: DeleteOptions = {}): Promise<void> {
    const headers = expected === 'present' ? {} : preconditionOf(expected);
    await this.#transport.send('DELETE', entryPath(parseKey(key)), {headers});
  }

  async list(options: ListOptions & {readonly values: true}): Promise<Page<Entry>>;
  async list(options?: ListOptions): Promise<Page<EntryInfo>>;
  async list(options: ListOptions = {}): Promise<Page<EntryInfo>> {
    const path = `/api/keys${formatQuery(options)}`;
    const answer = await this.#transport.send('GET', path);
    const {entries, next} = parseAnswer<ListedPage>(answer);
    const infos = entries.map(({key, revision, sizeBytes, updatedAt, expiresAt}): EntryInfo => {
      return {key: key as Key, revision: Number(revision), sizeBytes, ...readTimes(updatedAt, expiresAt)};
    });
    const read = options.values === true ? withValues(infos, answer.bytes) : infos;
    return next === undefined ? {entries: read} : {entries: read, next};
  }

  async deleteRange({prefix}: {readonly prefix: string}): Promise<number> {
    const path = `/api/keys?prefix=${encodeURIComponent(parsePrefix(prefix))}${prefix === '' ? '&all=true' : ''}`;
    return parseAnswer<{readonly deleted: number}>(await this.#transport.send('DELETE', path)).deleted;
  }
}

interface ListedPage {
  readonly entries: readonly {
    readonly key: string;
    readonly revision: string;
    readonly sizeBytes: number;
    readonly updatedAt: string;
    readonly expiresAt?: string;
  }[];
  readonly next?: string;
}

const VALUE_MEMBER = new TextEncoder().encode('"value":');

/**
 * Cuts the values out of a page, byte for byte; parsed ones would have lost what numbers cannot hold.
 * In the members before it, quotes inside a text are escaped, so the name in quotes is the member itself.
 */
function withValues(infos: readonly EntryInfo[], page: Uint8Array): readonly Entry[] {
  let at = 0;
  return infos.map(info => {
    const start = indexOfBytes(page, VALUE_MEMBER, at) + VALUE_MEMBER.length;
    at = start + info.sizeBytes;
    return {...info, json: page.slice(start, at) as JsonText};
  });
}

function indexOfBytes(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && !wanted.every((byte, index) => bytes[at + index] === byte)) at++;
  return at;
}

/** One segment of a path. `encodeURIComponent` leaves only characters that stand for themselves. */
function entryPath(key: Key): string {
  return `/api/store/${encodeURIComponent(key)}`;
}

function formatTtl(ttlSeconds: number | undefined): string {
  if (ttlSeconds === undefined) return '';
  assertTtl(ttlSeconds);
  return `?ttl=${ttlSeconds}`;
}

function readRevision(answer: Answer): Revision {
  const revision = /^"([1-9][0-9]*)"$/.exec(answer.headers.get('ETag') ?? '')?.[1];
  if (revision === undefined) throw unexpectedAnswer(answer, 'it has no ETag of this service');
  return Number(revision);
}

/** The times of an entry, from how the service writes them. */
function readTimes(
  updatedAt: string | null,
  expiresAt: string | null | undefined,
): Pick<EntryInfo, 'updatedAtMs' | 'expiresAtMs'> {
  const updatedAtMs = Date.parse(updatedAt ?? '');
  return expiresAt ? {updatedAtMs, expiresAtMs: Date.parse(expiresAt)} : {updatedAtMs};
}

function preconditionOf(expected: Expectation | undefined): Readonly<Record<string, string>> {
  if (expected === undefined) return {};
  if (expected === 'absent') return {'If-None-Match': '*'};
  if (expected === 'present') return {'If-Match': '*'};
  const revisions = typeof expected === 'number' ? [expected] : expected;
  // An empty list would be no header at all, and then the write would always happen.
  return {'If-Match': (revisions.length === 0 ? [NO_REVISION] : revisions).map(revision => `"${revision}"`).join(', ')};
}

function formatQuery({prefix, after, limit, reverse, values}: ListOptions): string {
  // A URL cannot carry every wrong text, so these are checked here as they are there.
  if (prefix !== undefined) parsePrefix(prefix);
  if (after !== undefined) parseCursor(after);
  const parameters = Object.entries({prefix, after, limit, reverse, values}).filter(([, value]) => value !== undefined);
  if (parameters.length === 0) return '';
  return `?${parameters.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`;
}
