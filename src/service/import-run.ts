import {AppError, type ImportedPart} from '../domain/failure.ts';
import type {Key, Prefix} from '../domain/key.ts';
import type {Limits} from '../domain/limits.ts';
import {runInTicks, runTick, type Steps} from '../domain/steps.ts';
import type {PutOperation, Store} from '../domain/store.ts';
import type {Imported, ImportMode, ImportOptions} from '../domain/transfer.ts';
import type {EntryLine, ExportLine} from '../protocol/export-lines.ts';
import {isBlank, LineSplitter} from '../protocol/line-splitter.ts';
import {createExportLineParser} from '../protocol/read-export-lines.ts';
import {createImportTarget, type ImportTarget, type Stored} from './import-target.ts';

/** What an import needs. */
export interface ImportRunDeps {
  readonly store: Store;
  readonly nowMs: () => number;
  readonly pause: () => Promise<void>;
  readonly onExpiringEntries: () => void;
  readonly limits: Limits;
}

/** Most lines that are read in one turn of the event loop, in bytes: empty ones take longest, some twenty milliseconds. */
const TURN_LINES_BYTES_MAX = 64 * 1024;

/** One import, from its first line to its last. */
export class ImportRun {
  readonly #deps: ImportRunDeps;
  readonly #mode: ImportMode;
  readonly #dryRun: boolean;
  readonly #target: ImportTarget;
  readonly #lines: LineSplitter;
  readonly #parse: (line: Uint8Array) => Steps<ExportLine>;
  /** The prefix of the header, once it was read. */
  #prefix: Prefix | undefined;
  /** Whether the trailer was read. */
  #complete = false;
  #lineNumber = 0;
  /** How much was read in this turn of the event loop, in bytes. */
  #turnBytes = 0;
  #entries = 0;
  #expired = 0;
  /** What is not stored yet; of several lines with one key it has the last. */
  readonly #batch = new Map<Key, PutOperation>();
  #batchBytes = 0;
  readonly #stored = {created: 0, replaced: 0, batches: 0};
  /** The batch that is being stored while the lines of the next one are read. */
  #storing: Promise<void> | undefined;

  constructor(deps: ImportRunDeps, {mode = 'merge', dryRun = false}: ImportOptions) {
    this.#deps = deps;
    this.#mode = mode;
    this.#dryRun = dryRun;
    this.#target = createImportTarget(deps, {dryRun});
    this.#parse = createExportLineParser(deps.limits);
    this.#lines = new LineSplitter(deps.limits.importLineBytesMax);
  }

  async run(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Imported> {
    try {
      for await (const chunk of chunks) {
        for (const line of this.#lines.push(chunk)) {
          // Only a full batch waits, or a long line: a promise for each line would cost more than the line.
          const waiting = this.#takeLine(line);
          if (waiting !== undefined) await waiting;
          if (this.#isTurnOver(line)) await this.#deps.pause();
        }
      }
      await this.#takeEnd();
      const deleted = await this.#finish();
      const {revision} = this.#deps.store;
      const {created, replaced, batches} = this.#stored;
      const counts = {entries: this.#entries, created, replaced, expired: this.#expired, deleted, batches};
      return {dryRun: this.#dryRun, ...counts, revision};
    } catch (error) {
      throw await this.#describeFailure(error);
    }
  }

  /** Whether others should have their turn: chunks that wait already come without one, and lines may be short. */
  #isTurnOver(line: Uint8Array | undefined): boolean {
    this.#turnBytes += (line?.length ?? 0) + 1;
    if (this.#turnBytes < TURN_LINES_BYTES_MAX) return false;
    this.#turnBytes = 0;
    return true;
  }

  #takeLine(line: Uint8Array | undefined, hint = ''): Promise<void> | undefined {
    this.#lineNumber++;
    if (line === undefined) throw this.#invalid('it is longer than a line with the largest value can be');
    if (isBlank(line)) return undefined;
    const steps = this.#parse(line);
    const first = runTick(steps);
    if (first.done) return this.#take(first.value, hint);
    return runInTicks(steps, this.#deps.pause).then(read => this.#take(read, hint));
  }

  async #takeEnd(): Promise<void> {
    const last = this.#lines.end();
    if (last !== undefined) await this.#takeLine(last, ', and the export ends there');
    if (this.#complete) return;
    this.#lineNumber++;
    throw this.#invalid(
      this.#prefix === undefined
        ? 'it is missing; there is nothing at all'
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
    if (count !== this.#entries)
      throw this.#invalid(`it says that there are ${count} entries, and ${this.#entries} stand before it`);
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
    if (this.#hasRoom(json.length)) {
      put();
      return undefined;
    }
    return this.#storeBatch().then(put);
  }

  #hasRoom(sizeBytes: number): boolean {
    if (this.#batch.size === 0) return true;
    const {transactionOperationsMax, transactionBytesMax} = this.#deps.limits;
    return this.#batch.size < transactionOperationsMax && this.#batchBytes + sizeBytes <= transactionBytesMax;
  }

  /** Stores what was collected. While the disk works, the next batch is read; there are never more than these two. */
  async #storeBatch(): Promise<void> {
    await this.#storing;
    const batch = this.#takeBatch();
    this.#storing = this.#target.put(batch).then(stored => this.#count(stored));
    // Whoever waits for it next is told; until then nobody is.
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

  /** Stores the rest, and deletes what `replace` leaves out. @returns How many were deleted. */
  async #finish(): Promise<number> {
    const prefix = this.#mode === 'replace' ? this.#prefix : undefined;
    if (this.#storing === undefined && prefix !== undefined) {
      const result = await this.#target.putAndDeleteOthers([...this.#batch.values()], prefix);
      if (result !== undefined) {
        if (this.#batch.size > 0) this.#count(result);
        return result.deleted;
      }
    }
    if (this.#batch.size > 0) await this.#storeBatch();
    await this.#storing;
    return prefix === undefined ? 0 : this.#target.deleteOthers(prefix);
  }

  #invalid(problem: string): AppError {
    return new AppError({code: 'invalid-import', line: this.#lineNumber, problem, imported: 0, batches: 0});
  }

  /** Adds what was stored until then, once that is certain. */
  async #describeFailure(error: unknown): Promise<unknown> {
    await this.#storing?.catch(() => {});
    if (!(error instanceof AppError)) return error;
    const {created, replaced, batches} = this.#stored;
    const part: ImportedPart = this.#dryRun ? {imported: 0, batches: 0} : {imported: created + replaced, batches};
    const {failure} = error;
    switch (failure.code) {
      case 'invalid-import':
      case 'disk-full':
      case 'store-read-only':
      case 'store-busy':
      case 'store-closed':
        return new AppError({...failure, ...part}, {cause: error});
      default:
        return error;
    }
  }
}
