import {type Log, SILENT_LOG} from '../../../domain/log.ts';
import type {Timers} from '../../../time/timers.ts';
import {wait} from '../../../time/wait.ts';
import {
  type Driver,
  type EngineAnswer,
  type EngineReadOptions,
  type GuardedWrite,
  isEngineFailure,
  type KeyListener,
  type PairRange,
  type StoredPair,
  type WriteAnswer,
} from '../engine/driver.ts';
import {bytesOf, HEAD_KEY} from '../engine/engine-keys.ts';
import {type EtcdAddress, EtcdClient} from './etcd-client.ts';
import type {EtcdMethod, Message, RequestOf, ResponseOf, Sent} from './etcd-schema.ts';
import {EtcdSpace} from './etcd-space.ts';
import {followKey} from './etcd-watch.ts';
import {assertMembers, type MemberFacts, readMember, readMembers} from './member-facts.ts';

export interface EtcdDriverOptions extends EtcdAddress {
  /** The first characters of all keys of the store. */
  readonly prefix: string;
  readonly timers: Timers;
  /** @default {nothing is logged} */
  readonly log?: Log | undefined;
  /** The clock of the machine, in milliseconds since the Unix epoch. @default {Date.now} */
  readonly nowMs?: (() => number) | undefined;
}

/** Values of `Compare`, and of `SortOrder`, in the messages of etcd. */
const EQUAL = 0;
const MOD_REVISION = 2;
const VALUE = 3;
const DESCENDING = 2;

/** Operations of a nested transaction. etcd allows 128 by default, the nested ones and those around them together. */
const NESTED_MAX = 64;

/** Time after which a read is not sent again, in milliseconds. With the call that is running then, it ends within twice this time. */
const READ_TIMEOUT_MS = 2500;

/** Pause before a read is sent to another member, in milliseconds. */
const RETRY_MS = 50;

/**
 * Opens a driver for the keys with a prefix in etcd.
 *
 * @throws {EngineFailure} `denied` if a file cannot be read, this user may not read the keys, etcd is too old, or the clock of this machine
 *   is far ahead; `unavailable`.
 */
export async function openEtcdDriver(options: EtcdDriverOptions): Promise<Driver> {
  const members = await readMembers(options, options.nowMs);
  assertMembers(members);
  const client = await EtcdClient.create(options);
  useLeader(client, members);
  const driver = new EtcdDriver(client, options);
  try {
    await driver.read([{from: HEAD_KEY}]);
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
  readonly #space: EtcdSpace;
  readonly #closed = new AbortController();

  constructor(client: EtcdClient, options: EtcdDriverOptions) {
    const {prefix, timers, log = SILENT_LOG} = options;
    this.#client = client;
    this.#options = options;
    this.#prefix = bytesOf(prefix);
    const readSpace = async (): ReturnType<typeof readMember> => {
      const facts = await readMember(client.member, options);
      if (facts?.isLeader === false) useLeader(client, await readMembers(options));
      return facts;
    };
    this.#space = new EtcdSpace({readSpace, timers, log});
  }

  async read(asked: readonly PairRange[], {at, bytes = 0}: EngineReadOptions = {}): Promise<EngineAnswer> {
    const ranges = asked.map(range => this.#rangeOf(range, at));
    const [only] = ranges;
    if (only !== undefined && ranges.length === 1) {
      const response = await this.#ask('KV/Range', only, bytes);
      return this.#toAnswer(response.header, [response], at);
    }
    const response = await this.#ask('KV/Txn', {success: nest(ranges.map(requestRange => ({requestRange})))}, bytes);
    return this.#toAnswer(response.header, flatten(response), at);
  }

  async compareAndWrite(write: GuardedWrite): Promise<WriteAnswer> {
    if (!write.usesReserve) this.#space.assertSpace();
    const key = this.#encode(write.key);
    const compare: Sent<'Compare'>[] = [{result: EQUAL, target: MOD_REVISION, key, modRevision: write.version}];
    if (write.previous !== undefined) compare.push({result: EQUAL, target: VALUE, key, value: write.previous});
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
    return {kind: 'conflict', answer: this.#toAnswer(response.header, flatten(response))};
  }

  watch(key: string, listener: KeyListener): () => void {
    const ended = new AbortController();
    void followKey(this.#client, {
      ...{key: this.#encode(key), timers: this.#options.timers},
      signal: AbortSignal.any([this.#closed.signal, ended.signal]),
      listener: pair => listener(pair && this.#toPair(pair)),
    });
    return () => ended.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#space.close();
    this.#closed.abort();
    this.#client.close();
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

  #toAnswer(
    {revision, clusterId}: Message<'Header'>,
    ranges: readonly Message<'RangeResponse'>[],
    at = revision,
  ): EngineAnswer {
    return {found: ranges.map(({kvs}) => kvs.map(pair => this.#toPair(pair))), at, cluster: String(clusterId)};
  }

  #toPair({key, value, modRevision}: Message<'KeyValue'>): StoredPair {
    return {key: key.toString('latin1', this.#prefix.length), value, version: modRevision};
  }

  /** Reads from one member after the other, until one answers. */
  async #ask<M extends EtcdMethod>(method: M, request: RequestOf<M>, bytes: number): Promise<ResponseOf<M>> {
    const startMs = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#client.call(method, request, {bytes});
      } catch (error) {
        const isOver = attempt > this.#client.size || performance.now() - startMs > READ_TIMEOUT_MS;
        if (!isEngineFailure(error, 'unavailable') || isOver) throw error;
      }
      await wait(RETRY_MS, {timers: this.#options.timers, signals: []});
    }
  }
}

/** Sends the next calls to the leader, if one says that it is: the others would pass them on to it. */
function useLeader(client: EtcdClient, members: readonly MemberFacts[]): void {
  const leader = members.find(({isLeader}) => isLeader);
  if (leader !== undefined) client.use(leader.member);
}

/** Puts operations into nested transactions if they are more than etcd allows in one. */
function nest(operations: readonly Sent<'RequestOp'>[]): readonly Sent<'RequestOp'>[] {
  if (operations.length < NESTED_MAX) return operations;
  const nested: Sent<'RequestOp'>[] = [];
  for (let at = 0; at < operations.length; at += NESTED_MAX)
    nested.push({requestTxn: {success: operations.slice(at, at + NESTED_MAX)}});
  return nested;
}

/** Returns the results of all ranges of a transaction, also of nested ones, in their order. */
function flatten({responses}: Message<'TxnResponse'>): readonly Message<'RangeResponse'>[] {
  return responses.flatMap(({responseRange, responseTxn}) => (responseTxn ? flatten(responseTxn) : [responseRange]));
}
