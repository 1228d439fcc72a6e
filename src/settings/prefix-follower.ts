import type {Store} from '../domain/commits/store.ts';
import type {CommonDeps} from '../domain/common-deps.ts';
import {listAll} from '../domain/entries/list-all.ts';
import type {Revision} from '../domain/entries/revision.ts';
import type {TypedEntries} from '../domain/entries/typed-entries.ts';
import {AppError} from '../failures/app-error.ts';
import {wait} from '../time/wait.ts';

export interface PrefixFollowerDeps extends Pick<CommonDeps, 'log' | 'timers'> {
  readonly store: Pick<Store, 'onChange'>;
  readonly entries: Pick<TypedEntries, 'list'>;
  readonly prefix: string;
  /** Called with each key that was written, deleted or has expired. */
  readonly onChanged: (key: string) => Promise<void>;
}

/**
 * Time from the first change until the entries are compared, in milliseconds. A subscriber would see each change
 * at once, and cost each write of any entry a tenth more.
 */
const COMPARED_AFTER_MS = 100;

/** Follows the entries under a prefix, of which there are few. Changes of the same entry that are close together are one. */
export class PrefixFollower implements AsyncDisposable {
  readonly #deps: PrefixFollowerDeps;
  readonly #stopListening: () => void;
  readonly #revisions: Promise<Map<string, Revision>>;
  #cancel: (() => void) | undefined;
  #comparing: Promise<void> = Promise.resolve();
  readonly #closing = new AbortController();

  constructor(deps: PrefixFollowerDeps) {
    this.#deps = deps;
    this.#revisions = this.#readPatiently();
    // A damaged entry is reported by the first comparison, and must not end the process before.
    this.#revisions.catch(() => {});
    this.#stopListening = deps.store.onChange(changes => {
      if (changes?.some(({key}) => key.startsWith(deps.prefix)) ?? true) this.#schedule();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#close();
    await this.#comparing;
    await this.#revisions.catch(() => {});
  }

  #close(): void {
    this.#closing.abort();
    this.#stopListening();
    this.#cancel?.();
  }

  #schedule(): void {
    if (this.#closing.signal.aborted) return;
    this.#cancel ??= this.#deps.timers.after(COMPARED_AFTER_MS, () => {
      this.#cancel = undefined;
      this.#comparing = this.#comparing.then(() => this.#compare());
    });
  }

  async #compare(): Promise<void> {
    const {log, prefix, onChanged} = this.#deps;
    try {
      const known = await this.#revisions;
      const now = await this.#readRevisions();
      for (const key of new Set([...known.keys(), ...now.keys()])) {
        if (this.#closing.signal.aborted || known.get(key) === now.get(key)) continue;
        await onChanged(key);
        const revision = now.get(key);
        // What was not reported, since the store became unavailable, is compared again.
        if (revision === undefined) known.delete(key);
        else known.set(key, revision);
      }
    } catch (error) {
      if (isUnavailable(error)) return this.#schedule();
      if (!(error instanceof AppError && error.failure.code === 'store-closed'))
        log.error('cannot follow entries', {prefix, error});
      this.#close();
    }
  }

  /** Reads revisions, again after a pause while the store is unavailable. */
  async #readPatiently(): Promise<Map<string, Revision>> {
    for (;;) {
      try {
        return await this.#readRevisions();
      } catch (error) {
        if (!isUnavailable(error) || this.#closing.signal.aborted) throw error;
      }
      await wait(COMPARED_AFTER_MS, {timers: this.#deps.timers, signals: [this.#closing.signal]});
    }
  }

  async #readRevisions(): Promise<Map<string, Revision>> {
    const revisions = new Map<string, Revision>();
    for await (const {key, revision} of listAll(this.#deps.entries, {prefix: this.#deps.prefix}))
      revisions.set(key, revision);
    return revisions;
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof AppError && error.failure.code === 'store-unavailable';
}
