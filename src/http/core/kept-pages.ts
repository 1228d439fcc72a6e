import type {EntryInfo} from '../../domain/entry.ts';
import type {ListMoment} from '../../domain/range.ts';
import type {Revision} from '../../domain/revision.ts';
import {answer, type HttpAnswer} from './message.ts';

/** Maximum size of the kept pages, in bytes: 25 of 1,000 entries without values. */
const KEPT_BYTES_MAX = 4 * 1024 * 1024;

/** Maximum size of one page that is kept, in bytes: larger ones would evict all others. */
const PAGE_BYTES_MAX = KEPT_BYTES_MAX / 4;

/** Estimated memory of a page in addition to its text, in bytes. */
const PAGE_OVERHEAD_BYTES = 1024;

/** Maximum number of queries that are remembered as asked. */
const ASKED_MAX = 1000;

/** A page of a listing, as it is answered. */
interface KeptPage {
  readonly answer: HttpAnswer;
  readonly sizeBytes: number;
  /** Time at which the first of its entries expires, in milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
}

/**
 * Keeps the answers to listings as long as the store does not change, by their queries: programs that poll ask the same again and again. If
 * the size of all exceeds its limit, the oldest are evicted.
 */
export class KeptPages {
  readonly #pages = new Map<string, KeptPage>();
  /** Queries that were asked once at this revision: to keep a page that is not asked for again would only cost memory. */
  readonly #asked = new Set<string>();
  #revision: Revision | undefined;
  #sizeBytes = 0;

  /** Returns the answer that was kept for a query; undefined if there is none, or it is not valid at this moment. */
  find(query: string, {revision, nowMs}: ListMoment): HttpAnswer | undefined {
    if (revision !== this.#revision) return undefined;
    const page = this.#pages.get(query);
    return page === undefined || page.expiresAtMs <= nowMs ? undefined : page.answer;
  }

  /** Creates the answer of a page, and keeps it if it was asked before, and if the revision did not change while the page was read. */
  add(
    query: string,
    {text, entries}: {readonly text: Uint8Array; readonly entries: readonly EntryInfo[]},
    {before, after}: {readonly before: ListMoment | undefined; readonly after: ListMoment | undefined},
  ): HttpAnswer {
    const answered = answer(text);
    if (before === undefined || before.revision !== after?.revision) return answered;
    if (before.revision !== this.#revision) this.#clear(before.revision);
    const sizeBytes = text.length + query.length + PAGE_OVERHEAD_BYTES;
    if (!this.#wasAsked(query) || sizeBytes > PAGE_BYTES_MAX) return answered;
    this.#evict(query);
    const expiresAtMs = entries.reduce((first, entry) => Math.min(first, entry.expiresAtMs ?? Infinity), Infinity);
    this.#pages.set(query, {answer: answered, sizeBytes, expiresAtMs});
    this.#sizeBytes += sizeBytes;
    for (const oldest of this.#pages.keys()) {
      if (this.#sizeBytes <= KEPT_BYTES_MAX) break;
      this.#evict(oldest);
    }
    return answered;
  }

  #wasAsked(query: string): boolean {
    if (this.#asked.has(query)) return true;
    if (this.#asked.size >= ASKED_MAX) this.#asked.clear();
    this.#asked.add(query);
    return false;
  }

  #clear(revision: Revision): void {
    this.#pages.clear();
    this.#asked.clear();
    this.#sizeBytes = 0;
    this.#revision = revision;
  }

  #evict(query: string): void {
    this.#sizeBytes -= this.#pages.get(query)?.sizeBytes ?? 0;
    this.#pages.delete(query);
  }
}
