import {type Log, SILENT_LOG} from '../../../domain/log.ts';
import type {Timers} from '../../../time/timers.ts';
import {wait} from '../../../time/wait.ts';
import {
  type Driver,
  EngineFailure,
  type EngineReadOptions,
  type GuardedWrite,
  type PairRange,
  type StoredPair,
  type StoredValue,
  type WriteAnswer,
} from '../engine/driver.ts';
import {HEAD_KEY} from '../engine/engine-keys.ts';
import {CallError, type EtcdAddress, EtcdClient} from './etcd-client.ts';
import {type CallFailure, readCallFailure, writeFailure} from './etcd-errors.ts';
import type {KeyValue, RangeResponse, RequestOp, TxnRequest, TxnResponse} from './etcd-messages.ts';
import type {EtcdMethod} from './etcd-schema.ts';
import {EtcdSpace} from './etcd-space.ts';
import {EtcdWatch} from './etcd-watch.ts';
import {leaderFirst, readSpace} from './member-facts.ts';

export interface EtcdDriverOptions extends EtcdAddress {
  /** The first characters of all keys of the store. */
  readonly prefix: string;
  readonly timers: Timers;
  /** @default {nothing is logged} */
  readonly log?: Log | undefined;
}

/** Values of `Compare` in the messages of etcd. */
const EQUAL = 0;
const MOD_REVISION = 2;
const VALUE = 3;

/** Operations of a nested transaction. etcd allows 128 by default, the nested ones and those around them together. */
const NESTED_MAX = 64;

/** Time after which a read is not sent again, in milliseconds. With the call that is running then, it ends within twice this time. */
const READ_TIMEOUT_MS = 2500;

/** Pause before a read is sent to another member, in milliseconds. */
const RETRY_MS = 50;

/**
 * Opens a driver for the keys with a prefix in etcd.
 *
 * @throws {EngineFailure} `denied` if a file cannot be read, or this user may not read the keys; `unavailable`.
 */
export async function openEtcdDriver(options: EtcdDriverOptions): Promise<Driver> {
  const client = await EtcdClient.create({...options, members: await leaderFirst(options)});
  const driver = new EtcdDriver(client, options);
  try {
    await driver.read([HEAD_KEY]);
    return driver;
  } catch (error) {
    await driver[Symbol.asyncDispose]();
    throw error;
  }
}

class EtcdDriver implements Driver {
  readonly #client: EtcdClient;
  readonly #prefix: string;
  readonly #timers: Timers;
  readonly #space: EtcdSpace;
  readonly #watches = new Set<EtcdWatch>();

  constructor(client: EtcdClient, {prefix, timers, tls, log = SILENT_LOG}: EtcdDriverOptions) {
    this.#client = client;
    this.#prefix = prefix;
    this.#timers = timers;
    this.#space = new EtcdSpace({readSpace: () => readSpace({member: client.member, tls}), timers, log});
  }

  async read(keys: readonly string[], {at}: EngineReadOptions = {}): Promise<readonly (StoredValue | undefined)[]> {
    const ranges = keys.map(key => ({requestRange: {key: this.#encode(key), revision: at}}));
    const response = await this.#ask<TxnResponse>('KV/Txn', {success: nest(ranges)} satisfies TxnRequest);
    const readAt = at ?? response.header.revision;
    return flatten(response).map(({kvs: [found]}) => found && toStored(found, readAt));
  }

  async range(
    {from, to, limit, keysOnly = false}: PairRange,
    {at}: EngineReadOptions = {},
  ): Promise<readonly StoredPair[]> {
    const request = {key: this.#encode(from), rangeEnd: this.#encode(to), limit, keysOnly, revision: at};
    const {kvs, header} = await this.#ask<RangeResponse>('KV/Range', request);
    const prefixBytes = Buffer.byteLength(this.#prefix);
    const readAt = at ?? header.revision;
    return kvs.map(found => ({key: found.key.toString('utf8', prefixBytes), ...toStored(found, readAt)}));
  }

  async compareAndWrite(write: GuardedWrite): Promise<WriteAnswer> {
    if (!write.usesReserve) this.#space.assertSpace();
    const key = this.#encode(write.key);
    const compare: object[] = [{result: EQUAL, target: MOD_REVISION, key, modRevision: write.version}];
    if (write.previous !== undefined) compare.push({result: EQUAL, target: VALUE, key, value: write.previous});
    const failure = [{requestRange: {key}}];
    const success = [...nest(this.#operationsOf(write)), {requestPut: {key, value: write.value}}];
    try {
      const response = await this.#client.call<TxnResponse>('KV/Txn', {compare, success, failure} satisfies TxnRequest);
      if (response.succeeded) return {kind: 'written', version: response.header.revision};
      const [found] = response.responses[0]?.responseRange?.kvs ?? [];
      return {kind: 'conflict', found: found && toStored(found, response.header.revision)};
    } catch (error) {
      throw toFailure(error, writeFailure);
    }
  }

  watch(key: string, listener: (version: number | undefined) => void): () => void {
    const watch = new EtcdWatch(this.#client, {key: this.#encode(key), timers: this.#timers, listener});
    this.#watches.add(watch);
    return () => {
      this.#watches.delete(watch);
      watch.close();
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#space.close();
    for (const watch of this.#watches) watch.close();
    this.#client.close();
  }

  #encode(key: string): Buffer {
    return Buffer.from(this.#prefix + key);
  }

  #operationsOf({puts, removes, removedRanges}: GuardedWrite): readonly RequestOp[] {
    return [
      ...removedRanges.map(({from, to}) => ({
        requestDeleteRange: {key: this.#encode(from), rangeEnd: this.#encode(to)},
      })),
      ...removes.map(key => ({requestDeleteRange: {key: this.#encode(key)}})),
      ...puts.map(([key, value]) => ({requestPut: {key: this.#encode(key), value}})),
    ];
  }

  /** Reads from one member after the other, until one answers. */
  async #ask<T>(method: EtcdMethod, request: object): Promise<T> {
    const startMs = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#client.call<T>(method, request);
      } catch (error) {
        const failure = toFailure(error, readCallFailure);
        const isOver = attempt > this.#client.size || performance.now() - startMs > READ_TIMEOUT_MS;
        if (failure.kind !== 'unavailable' || isOver) throw failure;
      }
      await wait(RETRY_MS, {timers: this.#timers, signals: []});
    }
  }
}

/** Puts operations into nested transactions if they are more than etcd allows in one. */
function nest(operations: readonly RequestOp[]): readonly RequestOp[] {
  if (operations.length < NESTED_MAX) return operations;
  const nested: RequestOp[] = [];
  for (let at = 0; at < operations.length; at += NESTED_MAX)
    nested.push({requestTxn: {success: operations.slice(at, at + NESTED_MAX)}});
  return nested;
}

/** Returns the results of all ranges of a transaction, also of nested ones, in their order. */
function flatten({responses}: TxnResponse): readonly RangeResponse[] {
  return responses.flatMap(({responseRange, responseTxn}) =>
    responseTxn === undefined || responseTxn === null ? [responseRange as RangeResponse] : flatten(responseTxn),
  );
}

function toStored({value, modRevision}: KeyValue, readAt: number): StoredValue {
  return {value, version: modRevision, readAt};
}

function toFailure(error: unknown, convert: (failure: CallFailure) => EngineFailure): EngineFailure {
  if (error instanceof EngineFailure) return error;
  if (!(error instanceof CallError)) throw error;
  return convert(error.failure);
}
