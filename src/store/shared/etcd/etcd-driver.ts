import type {Log} from '../../../core/domain/log.ts';
import type {Timers} from '../../../core/time/timers.ts';
import {wait} from '../../../core/time/wait.ts';
import {
  type Driver,
  type EngineAnswer,
  EngineFailure,
  type EngineReadOptions,
  type GuardedWrite,
  isEngineFailure,
  type KeyListener,
  type PairRange,
  type StoredPair,
  type WriteAnswer,
} from '../engine/driver.ts';
import {bytesOf, HEAD_KEY, KEY_KIND} from '../engine/engine-keys.ts';
import {isHeadValue} from '../engine/head.ts';
import {type EtcdAddress, EtcdClient} from './etcd-client.ts';
import type {Message, Sent} from './etcd-schema.ts';
import {
  CLOCK_DIFFERENCE_MS_MAX,
  findProblem,
  MemberClock,
  type MemberFacts,
  MemberSpace,
  readMember,
  readMembers,
  readProblem,
} from './member-facts.ts';

export interface EtcdDriverOptions extends EtcdAddress {
  /** The first characters of all keys of the store. */
  readonly prefix: string;
  readonly timers: Timers;
  readonly log: Log;
  /** The clock of the machine, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
}

/** Values of `Compare`, and of `SortOrder`, in the messages of etcd. */
const EQUAL = 0;
const MOD_REVISION = 2;
const VALUE = 3;
const DESCENDING = 2;

/** Operations of a nested transaction, and of one without. etcd allows 128 by default, nested ones with those around them; a write has one more. */
const NESTED_MAX = 64;
const FLAT_MAX = 127;

/** Time after which a read is not sent again, in milliseconds. With the call that is running then, it ends within twice this time. */
const READ_TIMEOUT_MS = 2500;

/** Pauses before a read is sent to another member, and before a watch is opened again, in milliseconds. */
const RETRY_MS = 50;
const REOPEN_MS = 200;

/** Pause before the member that is used is asked again, in milliseconds. */
const CHECK_MS = 5000;

/**
 * Opens a driver for the keys with a prefix in etcd.
 *
 * @throws {EngineFailure} `denied` if a file cannot be read, this user may not read the keys, etcd is too old, or the clock of this machine
 *   is far ahead; `unavailable`.
 */
export async function openEtcdDriver(options: EtcdDriverOptions): Promise<Driver> {
  const {prefix, log, nowMs} = options;
  const clock = new MemberClock({nowMs, elapsedMs: () => performance.now(), log});
  const askedAtMs = performance.now();
  const members = await readMembers(options, nowMs);
  const problem = findProblem(members);
  if (problem !== undefined) throw new EngineFailure('denied', problem);
  const client = await EtcdClient.create(options);
  useLeader(client, members);
  clock.learn(members, askedAtMs);
  const driver = new EtcdDriver(client, options, clock);
  try {
    await driver.read([{from: HEAD_KEY}]);
    await assertNotInside(client, prefix);
    return driver;
  } catch (error) {
    await driver[Symbol.asyncDispose]();
    throw error;
  }
}

class EtcdDriver implements Driver {
  readonly #client: EtcdClient;
  readonly #options: EtcdDriverOptions;
  readonly #prefix: string;
  readonly #space: MemberSpace;
  readonly #clock: MemberClock;
  readonly #closed = new AbortController();

  constructor(client: EtcdClient, options: EtcdDriverOptions, clock: MemberClock) {
    this.#client = client;
    this.#options = options;
    this.#prefix = bytesOf(options.prefix);
    this.#space = new MemberSpace(options.log);
    this.#clock = clock;
    void this.#followMembers();
  }

  async read(asked: readonly PairRange[], {at, bytes = 0}: EngineReadOptions = {}): Promise<EngineAnswer> {
    const success = nest(asked.map(range => ({requestRange: this.#rangeOf(range, at)})));
    return this.#toAnswer(await this.#ask({success}, bytes), at);
  }

  async compareAndWrite(write: GuardedWrite): Promise<WriteAnswer> {
    if (!write.usesReserve) this.#space.assertSpace();
    const key = this.#encode(write.key);
    const compare: Sent<'Compare'>[] = [{result: EQUAL, target: MOD_REVISION, key, modRevision: write.version}];
    if (write.previous !== undefined) compare.push({result: EQUAL, target: VALUE, key, value: write.previous});
    const {also} = write;
    if (also !== undefined)
      compare.push({result: EQUAL, target: MOD_REVISION, key: this.#encode(also.key), modRevision: also.version});
    const operations: readonly Sent<'RequestOp'>[] = [
      ...[...write.removedRanges, ...write.removes.map(from => ({from, to: undefined}))].map(({from, to}) => {
        return {requestDeleteRange: {key: this.#encode(from), rangeEnd: to === undefined ? to : this.#encode(to)}};
      }),
      ...write.puts.map(([put, value]) => ({requestPut: {key: this.#encode(put), value}})),
    ];
    const success = [...nest(operations), {requestPut: {key, value: write.value}}];
    const bytes = write.puts.reduce((sum, [, value]) => sum + value.length, write.value.length);
    const request = {compare, success, failure: [{requestRange: {key}}]};
    const response = await this.#client.call('KV/Txn', request, {bytes, lost: 'unknown'});
    if (response.succeeded) return {kind: 'written', version: response.header.revision};
    return {kind: 'conflict', answer: this.#toAnswer(response)};
  }

  watch(key: string, listener: KeyListener): () => void {
    const ended = new AbortController();
    void this.#follow(key, listener, AbortSignal.any([this.#closed.signal, ended.signal]));
    return () => ended.abort();
  }

  get fullBecause(): string | undefined {
    return this.#space.fullBecause;
  }

  boundTime(ownMs: number): number {
    return this.#clock.bound(ownMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort();
    this.#client[Symbol.dispose]();
  }

  /** Asks the member that is used for its space and its time, again and again. */
  async #followMembers(): Promise<void> {
    const {timers} = this.#options;
    const {signal} = this.#closed;
    while (!signal.aborted) {
      try {
        await this.#askMembers();
      } catch (error) {
        // Files of certificates that are just being replaced.
        if (!isEngineFailure(error)) throw error;
      }
      await wait(CHECK_MS, {timers, signals: [signal]});
    }
  }

  async #askMembers(): Promise<void> {
    const {nowMs} = this.#options;
    const askedAtMs = performance.now();
    const facts = await readMember(this.#client.member, this.#options, nowMs);
    // Also if this one reports nothing: others may tell the time.
    const isUsual = typeof facts === 'object' && facts.isLeader && facts.aheadMs <= CLOCK_DIFFERENCE_MS_MAX;
    const asked = isUsual ? [facts] : await readMembers(this.#options, nowMs);
    useLeader(this.#client, asked);
    this.#clock.learn(asked, askedAtMs);
    const problem = typeof facts === 'string' ? undefined : await readProblem(facts.member, this.#options);
    this.#space.learn(facts, problem);
  }

  async #follow(key: string, listener: KeyListener, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // The next watch catches up.
      await this.#watchOnce(key, listener, signal).catch(() => {});
      if (!signal.aborted) await wait(REOPEN_MS, {timers: this.#options.timers, signals: [signal]});
    }
  }

  async #watchOnce(key: string, listener: KeyListener, signal: AbortSignal): Promise<void> {
    const stream = await this.#client.openWatch();
    const cancel = (): void => stream.cancel();
    // An error is always followed by the end.
    stream.on('error', () => {});
    if (signal.aborted) return cancel();
    signal.addEventListener('abort', cancel);
    try {
      stream.write({createRequest: {key: this.#encode(key)}});
      for await (const response of stream) {
        const {created, canceled, events} = response as Message<'WatchResponse'>;
        const last = events.at(-1)?.kv;
        // A removed key has no value.
        if (created || last !== undefined) listener(last?.value.length ? this.#toPair(last) : undefined);
        if (canceled) return;
      }
    } finally {
      signal.removeEventListener('abort', cancel);
      cancel();
    }
  }

  #encode(key: string): Buffer {
    return Buffer.from(this.#prefix + key, 'latin1');
  }

  #rangeOf({from, to, limit, keysOnly, reverse}: PairRange, at: number | undefined): Sent<'RangeRequest'> {
    const key = this.#encode(from);
    if (to === undefined) return {key, revision: at};
    const sortOrder = reverse ? DESCENDING : undefined;
    return {key, rangeEnd: this.#encode(to), limit, keysOnly, sortOrder, revision: at};
  }

  #toAnswer(response: Message<'TxnResponse'>, at = response.header.revision): EngineAnswer {
    const found = flatten(response).map(({kvs}) => kvs.map(pair => this.#toPair(pair)));
    return {found, at, cluster: String(response.header.clusterId)};
  }

  #toPair({key, value, modRevision}: Message<'KeyValue'>): StoredPair {
    return {key: key.toString('latin1', this.#prefix.length), value, version: modRevision};
  }

  /** Reads from one member after the other, until one answers. */
  async #ask(request: Sent<'TxnRequest'>, bytes: number): Promise<Message<'TxnResponse'>> {
    const startMs = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#client.call('KV/Txn', request, {bytes});
      } catch (error) {
        const isOver = attempt > this.#options.members.length || performance.now() - startMs > READ_TIMEOUT_MS;
        if (!isEngineFailure(error, 'unavailable') || isOver) throw error;
      }
      await wait(RETRY_MS, {timers: this.#options.timers, signals: []});
    }
  }
}

/**
 * Refuses a prefix among the keys of another store: see `engine-keys.ts`. The other direction is refused when a store is created, since it finds
 * keys without a head. This user may be allowed to read nothing but this prefix.
 */
async function assertNotInside(client: EtcdClient, prefix: string): Promise<void> {
  for (const {index} of prefix.slice(0, -1).matchAll(/\//g)) {
    if (!KEY_KIND.test(prefix.slice(index + 1))) continue;
    const outer = prefix.slice(0, index + 1);
    const found = await client.call('KV/Range', {key: Buffer.from(outer + HEAD_KEY)}).catch(error => {
      if (isEngineFailure(error, 'denied')) return undefined;
      throw error;
    });
    if (found?.kvs.some(({value}) => isHeadValue(value)))
      throw new EngineFailure(
        'denied',
        `the prefix in the engine is inside that of the store "${outer}": choose one beside it`,
      );
  }
}

/** Sends the next calls to the leader, if one says that it is: the others would pass them on to it. */
function useLeader(client: EtcdClient, members: readonly MemberFacts[]): void {
  const leader = members.find(({isLeader}) => isLeader);
  if (leader !== undefined) client.use(leader.member);
}

/** Puts operations into nested transactions if they are more than etcd allows in one. It takes also reads with them for a write, and logs them. */
function nest(operations: readonly Sent<'RequestOp'>[]): readonly Sent<'RequestOp'>[] {
  if (operations.length <= FLAT_MAX) return operations;
  const nested: Sent<'RequestOp'>[] = [];
  for (let at = 0; at < operations.length; at += NESTED_MAX)
    nested.push({requestTxn: {success: operations.slice(at, at + NESTED_MAX)}});
  return nested;
}

/** Returns the results of all ranges of a transaction, also of nested ones, in their order. */
function flatten({responses}: Message<'TxnResponse'>): readonly Message<'RangeResponse'>[] {
  return responses.flatMap(({responseRange, responseTxn}) => (responseTxn ? flatten(responseTxn) : [responseRange]));
}
