import type {PutOperation} from '../../core/domain/commits/commit.ts';
import {IMPORT_BATCH_BYTES_MAX, type Imported, type ImportOptions} from '../../core/domain/commits/transfer.ts';
import type {CommonDeps} from '../../core/domain/common-deps.ts';
import type {Key, Prefix} from '../../core/domain/entries/identifiers.ts';
import {AppError} from '../../core/failures/app-error.ts';
import type {ImportedPart} from '../../core/failures/members/problems.ts';
import {ByteLineSplitter, isBlank} from '../../core/protocol/text/line-splitter.ts';
import {createExportLineParser, type EntryLine, type ExportLine} from '../../core/protocol/transfer/export-lines.ts';
import type {ImportTarget, ImportTargetDeps, Stored} from './import-target.ts';

export interface ImportRunDeps extends Pick<ImportTargetDeps, 'store' | 'limits' | 'pause'>, Pick<CommonDeps, 'nowMs'> {
  readonly target: ImportTarget;
}

/** Maximum size of the lines read in one tick of the event loop, in bytes. Empty lines take longest, about 20 ms. */
const TICK_LINES_BYTES_MAX = 64 * 1024;

/**
 * One import.
 *
 * 1. Splits the chunks into lines and parses each: a header, entries, a trailer.
 * 2. Collects entries into a batch; a full batch is stored while the next one is collected.
 * 3. At the end stores the last batch, and in mode `replace` deletes the other entries under the prefix.
 */
export class ImportRun {
  readonly #deps: ImportRunDeps;
  readonly #options: ImportOptions;
  readonly #lines: ByteLineSplitter;
  readonly #parse: (line: Uint8Array) => ExportLine;
  /** The prefix in the header. Undefined before the header. */
  #prefix: Prefix | undefined;
  /** True after the trailer. */
  #complete = false;
  #lineNumber = 0;
  /** Bytes that were read in this tick of the event loop. */
  #tickBytes = 0;
  #entries = 0;
  #expired = 0;
  /** The entries that are not stored yet. If several lines have the same key, the last one counts. */
  readonly #batch = new Map<Key, PutOperation>();
  #batchBytes = 0;
  readonly #stored = {created: 0, replaced: 0, batches: 0};
  /** The batch that is being stored while the next one is collected. */
  #storing: Promise<void> | undefined;

  constructor(deps: ImportRunDeps, options: ImportOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#parse = createExportLineParser(deps.limits);
    this.#lines = new ByteLineSplitter(deps.limits.importLineBytesMax);
  }

  async run(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Imported> {
    try {
      for await (const chunk of chunks) {
        for (const line of this.#lines.push(chunk)) {
          // Undefined for most lines: a promise for each would cost more than to read the line.
          const waiting = this.#takeLine(line);
          if (waiting !== undefined) await waiting;
          if (this.#isTickOver(line)) await this.#deps.pause();
        }
      }
      await this.#takeEnd();
      const deleted = await this.#finish();
      const {revision} = this.#deps.store;
      const {created, replaced, batches} = this.#stored;
      const counts = {entries: this.#entries, created, replaced, expired: this.#expired, deleted, batches};
      return {dryRun: this.#options.dryRun === true, ...counts, revision};
    } catch (error) {
      throw await this.#describeFailure(error);
    }
  }

  /** Returns whether to yield to the event loop: buffered chunks arrive without ticks between; lines may be short. */
  #isTickOver(line: Uint8Array | undefined): boolean {
    this.#tickBytes += (line?.length ?? 0) + 1;
    if (this.#tickBytes < TICK_LINES_BYTES_MAX) return false;
    this.#tickBytes = 0;
    return true;
  }

  #takeLine(line: Uint8Array | undefined, hint = ''): Promise<void> | undefined {
    this.#lineNumber++;
    if (line === undefined) throw this.#invalid('it is longer than a line with the largest value can be');
    if (isBlank(line)) return undefined;
    return this.#take(this.#parse(line), hint);
  }

  async #takeEnd(): Promise<void> {
    const last = this.#lines.end();
    if (last !== undefined) await this.#takeLine(last, ', and the export ends there');
    if (this.#complete) return;
    this.#lineNumber++;
    throw this.#invalid(
      this.#prefix === undefined
        ? 'it is missing; the import is empty'
        : 'it is missing; the export was cut off before its end',
    );
  }

  #take(line: ExportLine, hint: string): Promise<void> | undefined {
    if (line.kind === 'wrong') throw this.#invalid(`${line.problem}${hint}`);
    if (this.#complete) throw this.#invalid('nothing may follow the end of the export');
    if ((line.kind === 'header') !== (this.#prefix === undefined)) {
      throw this.#invalid(line.kind === 'header' ? 'a second header' : 'the first line has to be the header');
    }
    switch (line.kind) {
      case 'header':
        this.#prefix = line.prefix;
        return undefined;
      case 'trailer':
        this.#assertCount(line.entries);
        this.#complete = true;
        return undefined;
      case 'entry':
        return this.#takeEntry(line);
    }
  }

  #assertCount(count: number): void {
    if (count !== this.#entries) throw this.#invalid(`it counts ${count} entries, but ${this.#entries} precede it`);
  }

  #takeEntry({key, json, expiresAtMs}: EntryLine): Promise<void> | undefined {
    if (!key.startsWith(this.#prefix ?? ''))
      throw this.#invalid('its key does not begin with the prefix of the export');
    this.#entries++;
    if (expiresAtMs !== undefined && expiresAtMs <= this.#deps.nowMs()) {
      this.#expired++;
      return undefined;
    }
    const expiry = expiresAtMs === undefined ? {} : {expiry: {kind: 'at', expiresAtMs} as const};
    const put = (): void => {
      const before = this.#batch.get(key);
      this.#batchBytes += json.length - (before?.json.length ?? 0);
      this.#batch.set(key, {kind: 'put', key, json, ...expiry});
    };
    if (this.#fitsInBatch(json.length)) {
      put();
      return undefined;
    }
    return this.#storeBatch().then(put);
  }

  #fitsInBatch(sizeBytes: number): boolean {
    if (this.#batch.size === 0) return true;
    const {transactionOperationsMax} = this.#deps.limits;
    return this.#batch.size < transactionOperationsMax && this.#batchBytes + sizeBytes <= IMPORT_BATCH_BYTES_MAX;
  }

  /** Starts to store the batch, after the one before: there are never more than two in memory. */
  async #storeBatch(): Promise<void> {
    await this.#storing;
    const batch = this.#takeBatch();
    this.#storing = this.#deps.target.put(batch).then(stored => this.#count(stored));
    // The next `await` of this promise throws; until then the rejection must not count as unhandled.
    this.#storing.catch(() => {});
  }

  #takeBatch(): readonly PutOperation[] {
    const batch = [...this.#batch.values()];
    this.#batch.clear();
    this.#batchBytes = 0;
    return batch;
  }

  #count({created, replaced}: Stored): void {
    this.#stored.created += created;
    this.#stored.replaced += replaced;
    this.#stored.batches++;
  }

  /** Stores the last batch, and deletes other entries if mode is `replace`. @returns The number of deleted entries. */
  async #finish(): Promise<number> {
    const prefix = this.#options.mode === 'replace' ? this.#prefix : undefined;
    if (this.#storing === undefined && prefix !== undefined) {
      const result = await this.#deps.target.putAndDeleteOthers([...this.#batch.values()], prefix);
      if (result !== undefined) {
        if (this.#batch.size > 0) this.#count(result);
        return result.deleted;
      }
    }
    if (this.#batch.size > 0) await this.#storeBatch();
    await this.#storing;
    return prefix === undefined ? 0 : this.#deps.target.deleteOthers(prefix);
  }

  #invalid(problem: string): AppError {
    return new AppError({code: 'invalid-import', line: this.#lineNumber, problem, imported: 0, batches: 0});
  }

  /** Adds the number of stored entries to a failure, after the batch in progress has ended. */
  async #describeFailure(error: unknown): Promise<unknown> {
    await this.#storing?.catch(() => {});
    if (!(error instanceof AppError)) return error;
    const {created, replaced, batches} = this.#stored;
    const part: ImportedPart = this.#options.dryRun
      ? {imported: 0, batches: 0}
      : {imported: created + replaced, batches};
    const {failure} = error;
    switch (failure?.code) {
      case 'invalid-import':
      case 'disk-full':
      case 'store-read-only':
      case 'busy':
      case 'store-closed':
      case 'unavailable':
      case 'outcome-unknown':
        return new AppError({...failure, ...part}, {cause: error});
      default:
        return error;
    }
  }
}
