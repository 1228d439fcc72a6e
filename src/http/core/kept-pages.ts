import type {ListMoment} from '../../domain/range.ts';
import type {Revision} from '../../domain/revision.ts';
import {answer, type HttpAnswer} from './message.ts';

/** Maximum size of the kept pages, in bytes: 25 of 1,000 entries without values. */
const KEPT_BYTES_MAX = 4 * 1024 * 1024;

/** Maximum size of one page that is kept, in bytes: larger ones would evict all others. */
const PAGE_BYTES_MAX = KEPT_BYTES_MAX / 4;

/** Estimated memory of a page in addition to its text, in bytes. */
const PAGE_OVERHEAD_BYTES = 1024;

/** Maximum size of the queries that are remembered as asked, in bytes: some 1,000 of them. */
const ASKED_BYTES_MAX = 256 * 1024;

/** Estimated memory of such a query in addition to its text, in bytes. */
const ASKED_OVERHEAD_BYTES = 128;

/** A page of a listing. */
interface ReadPage {
  readonly text: Uint8Array;
  /** Time at which it changes although the store does not, in milliseconds since the Unix epoch. */
  readonly expiresAtMs: number;
}

/** A page as it is answered. */
interface KeptPage extends Pick<ReadPage, 'expiresAtMs'> {
  readonly answer: HttpAnswer;
  readonly sizeBytes: number;
}

/**
 * Keeps the answers to listings as long as the store does not change, by their queries: programs that poll ask the same again and again. If
 * the size of all exceeds its limit, the oldest are evicted.
 */
export class KeptPages {
  readonly #pages = new Map<string, KeptPage>();
  /** Queries that were asked once at this revision: to keep a page that is not asked for again would only cost memory. */
  readonly #asked = new Set<string>();
  #askedBytes = 0;
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
    {text, expiresAtMs}: ReadPage,
    {before, after}: {readonly before: ListMoment | undefined; readonly after: ListMoment | undefined},
  ): HttpAnswer {
    const answered = answer(text);
    if (before === undefined || before.revision !== after?.revision) return answered;
    if (before.revision !== this.#revision) this.#clear(before.revision);
    const sizeBytes = text.length + query.length + PAGE_OVERHEAD_BYTES;
    if (!this.wasAsked(query, before)) {
      this.#remember(query);
      return answered;
    }
    if (sizeBytes > PAGE_BYTES_MAX) return answered;
    this.#evict(query);
    this.#pages.set(query, {answer: answered, sizeBytes, expiresAtMs});
    this.#sizeBytes += sizeBytes;
    for (const oldest of this.#pages.keys()) {
      if (this.#sizeBytes <= KEPT_BYTES_MAX) break;
      this.#evict(oldest);
    }
    return answered;
  }

  /** Returns whether a query was asked before at this revision, so that {@link add} keeps its page. */
  wasAsked(query: string, moment: ListMoment | undefined): boolean {
    return moment?.revision === this.#revision && this.#asked.has(query);
  }

  #remember(query: string): void {
    if (this.#askedBytes > ASKED_BYTES_MAX) this.#forget();
    this.#asked.add(query);
    this.#askedBytes += query.length + ASKED_OVERHEAD_BYTES;
  }

  #forget(): void {
    this.#asked.clear();
    this.#askedBytes = 0;
  }

  #clear(revision: Revision): void {
    this.#pages.clear();
    this.#forget();
    this.#sizeBytes = 0;
    this.#revision = revision;
  }

  #evict(query: string): void {
    this.#sizeBytes -= this.#pages.get(query)?.sizeBytes ?? 0;
    this.#pages.delete(query);
  }
}
