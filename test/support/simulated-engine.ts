import {setImmediate} from 'node:timers/promises';
import {SortedKeys} from '../../src/store/memory/sorted-entries.ts';
import {
  ABSENT,
  type Driver,
  type EngineAnswer,
  EngineFailure,
  type EngineReadOptions,
  type GuardedWrite,
  type KeyListener,
  type KeyRange,
  type PairRange,
  type StoredPair,
  type WriteAnswer,
} from '../../src/store/shared/engine/driver.ts';

/** A write of a key; without a value it removed the key. */
interface Written {
  readonly version: number;
  readonly value: Buffer | undefined;
}

/**
 * A network engine in memory, for tests: all its drivers share the data, every call takes some ticks, and a test decides which
 * requests and answers get lost.
 */
export class SimulatedEngine {
  readonly #history = new Map<string, Written[]>();
  readonly #keys = new SortedKeys<string>();
  readonly #watchers = new Set<{readonly key: string; readonly listener: KeyListener}>();
  #version = 0;
  #compacted = 0;
  #restored = 0;
  /** While true, every call fails as `unavailable`. */
  isDown = false;
  /** Number of the next writes whose requests are lost, and of those that are applied without an answer. */
  lostRequests = 0;
  lostAnswers = 0;
  /** The latest time that may be right by its clocks, in milliseconds since the Unix epoch. */
  latestMs = Infinity;
  /** While set, every write fails with this kind of failure; while `full`, a write that uses the reserve succeeds. */
  refuses: 'full' | 'denied' | undefined;
  /** Called before the pairs of a range are read. */
  beforeRange: ((range: KeyRange) => Promise<void>) | undefined;
  /** Called before each write is applied. */
  beforeWrite: ((write: GuardedWrite) => Promise<void>) | undefined;
  /** Called after each write that is applied. */
  afterWrite: ((write: GuardedWrite) => void) | undefined;
  /** Number of guarded writes that were applied. */
  writes = 0;
  /** Size of the largest request so far, in bytes, and the largest number of operations in one. */
  largestRequestBytes = 0;
  mostOperations = 0;

  /** Connects a process. */
  connect(): Driver {
    return new SimulatedDriver(this);
  }

  /** Id of its data. */
  get cluster(): string {
    return `cluster ${this.#restored}`;
  }

  /**
   * Restores a backup as etcd does: writes since then are lost, and versions are counted from there again. The data get another id, unless the
   * members begin with the token of the old cluster.
   */
  restore(version: number, {sameToken = false}: {readonly sameToken?: boolean} = {}): void {
    if (!sameToken) this.#restored++;
    for (const [key, history] of this.#history)
      this.#history.set(
        key,
        history.filter(written => written.version <= version),
      );
    this.#version = version;
    this.#compacted = version;
    this.interrupt();
  }

  /** Ends and opens all watches again. */
  interrupt(): void {
    for (const watcher of this.#watchers) queueMicrotask(() => watcher.listener(undefined));
  }

  /** Number of the last write: a backup that is made now has all up to it. */
  get version(): number {
    return this.#version;
  }

  /** Forgets all states but the present one. */
  compact(): void {
    this.#compacted = this.#version;
  }

  /** Writes as something else than a store would do. */
  writeByHand(key: string, value: string | undefined): void {
    this.#write(key, value === undefined ? undefined : Buffer.from(value), ++this.#version);
  }

  /** Removes everything. */
  empty(): void {
    const version = ++this.#version;
    for (const key of [...this.#keys.after(() => false)]) this.#write(key, undefined, version);
  }

  /** Returns the present keys that begin with a text. */
  keysWith(prefix: string): readonly string[] {
    return [...this.#keys.after(() => false)].filter(key => key.startsWith(prefix) && this.find(key) !== undefined);
  }

  /** Returns the value of a key at a version. */
  find(key: string, at = this.#version): StoredPair | undefined {
    const written = this.#history.get(key)?.findLast(({version}) => version <= at);
    if (written?.value === undefined) return undefined;
    return {key, value: Buffer.from(written.value), version: written.version};
  }

  /** Returns the keys of a range that exist at a version. */
  *within({from, to}: KeyRange, at = this.#version): Iterable<StoredPair> {
    for (const key of [...this.#keys.after(each => each < from)]) {
      if (key >= to) return;
      const found = this.find(key, at);
      if (found !== undefined) yield found;
    }
  }

  /** @throws {EngineFailure} `unavailable`, `compacted`. */
  async arrive(at?: number): Promise<void> {
    await setImmediate();
    if (this.isDown) throw new EngineFailure('unavailable', 'the engine is down');
    if (at !== undefined && at < this.#compacted) throw new EngineFailure('compacted', 'the state was compacted');
  }

  /** Counts the operations of a request. */
  count(operations: number): void {
    this.mostOperations = Math.max(this.mostOperations, operations);
  }

  /** Applies a write. @throws {EngineFailure} */
  async write(write: GuardedWrite): Promise<WriteAnswer> {
    await this.beforeWrite?.(write);
    await this.arrive();
    this.largestRequestBytes = Math.max(this.largestRequestBytes, sizeOf(write));
    this.count(write.puts.length + write.removes.length + write.removedRanges.length + 1);
    if (this.lostRequests > 0) {
      this.lostRequests--;
      throw new EngineFailure('unknown', 'no answer came');
    }
    if (this.refuses === 'denied' || (this.refuses === 'full' && !write.usesReserve))
      throw new EngineFailure(this.refuses, `the engine is ${this.refuses}`);
    const answer = this.#apply(write);
    await setImmediate();
    if (this.lostAnswers > 0) {
      this.lostAnswers--;
      throw new EngineFailure('unknown', 'no answer came');
    }
    return answer;
  }

  /** Calls a listener for each change of a key. */
  watch(key: string, listener: KeyListener): () => void {
    const watcher = {key, listener};
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  #apply({key, version, previous, also, value, puts, removes, removedRanges}: GuardedWrite): WriteAnswer {
    const found = this.find(key);
    const isExpected =
      (found?.version ?? ABSENT) === version &&
      (!previous || found?.value.equals(previous)) &&
      (!also || (this.find(also.key)?.version ?? ABSENT) === also.version);
    if (!isExpected)
      return {
        kind: 'conflict',
        answer: {found: [found === undefined ? [] : [found]], at: this.#version, cluster: this.cluster},
      };
    const next = ++this.#version;
    this.writes++;
    for (const range of removedRanges) {
      for (const pair of [...this.within(range)]) this.#write(pair.key, undefined, next);
    }
    for (const removed of removes) this.#write(removed, undefined, next);
    for (const [each, bytes] of puts) this.#write(each, Buffer.from(bytes), next);
    this.#write(key, Buffer.from(value), next);
    this.afterWrite?.({key, version, value, puts, removes, removedRanges});
    return {kind: 'written', version: next};
  }

  #write(key: string, value: Buffer | undefined, version: number): void {
    const history = this.#history.get(key);
    if (history === undefined) {
      this.#keys.add(key);
      this.#history.set(key, [{version, value}]);
    } else history.push({version, value});
    for (const watcher of this.#watchers) {
      if (watcher.key === key) queueMicrotask(() => watcher.listener(this.find(key)));
    }
  }
}

class SimulatedDriver implements Driver {
  readonly #engine: SimulatedEngine;

  constructor(engine: SimulatedEngine) {
    this.#engine = engine;
  }

  async read(asked: readonly PairRange[], {at}: EngineReadOptions = {}): Promise<EngineAnswer> {
    const engine = this.#engine;
    for (const {from, to} of asked) if (to !== undefined) await engine.beforeRange?.({from, to});
    await engine.arrive(at);
    engine.count(asked.length);
    const answer = {
      found: asked.map(range => this.#find(range, at)),
      at: at ?? engine.version,
      cluster: engine.cluster,
    };
    await setImmediate();
    return answer;
  }

  #find({from, to, limit, keysOnly, reverse}: PairRange, at: number | undefined): readonly StoredPair[] {
    const only = this.#engine.find(from, at);
    if (to === undefined) return only === undefined ? [] : [only];
    const all = [...this.#engine.within({from, to}, at)];
    const pairs = (reverse ? all.reverse() : all).slice(0, limit);
    return keysOnly ? pairs.map(pair => ({...pair, value: Buffer.alloc(0)})) : pairs;
  }

  compareAndWrite(write: GuardedWrite): Promise<WriteAnswer> {
    return this.#engine.write(write);
  }

  watch(key: string, listener: KeyListener): () => void {
    return this.#engine.watch(key, listener);
  }

  get fullBecause(): string | undefined {
    return this.#engine.refuses === 'full' ? 'the engine is full' : undefined;
  }

  boundTime(ownMs: number): number {
    return Math.min(ownMs, this.#engine.latestMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** Returns the size of a request without the prefix of its keys, in bytes. */
function sizeOf({value, puts, removes, removedRanges}: GuardedWrite): number {
  const keys = [...removes, ...removedRanges.flatMap(({from, to}) => [from, to])];
  const keyBytes = keys.reduce((sum, key) => sum + key.length, 0);
  return puts.reduce((sum, [key, bytes]) => sum + key.length + bytes.length, value.length + keyBytes);
}
