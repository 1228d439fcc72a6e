import {type Log, SILENT_LOG} from '../../../domain/log.ts';
import type {Timers} from '../../../time/timers.ts';
import {wait} from '../../../time/wait.ts';
import {
  type Driver,
  type EngineAnswer,
  EngineFailure,
  type EngineReadOptions,
  type GuardedWrite,
  type PairRange,
  type StoredPair,
  type WriteAnswer,
} from '../engine/driver.ts';
import {bytesOf, HEAD_KEY} from '../engine/engine-keys.ts';
import {CallError, type EtcdAddress, EtcdClient} from './etcd-client.ts';
import {type CallFailure, readCallFailure, writeFailure} from './etcd-errors.ts';
import type {
  KeyValue,
  RangeRequest,
  RangeResponse,
  RequestOp,
  ResponseHeader,
  TxnRequest,
  TxnResponse,
} from './etcd-messages.ts';
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

/** Value of `SortOrder`. */
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
 * @throws {EngineFailure} `denied` if a file cannot be read, or this user may not read the keys; `unavailable`.
 */
export async function openEtcdDriver(options: EtcdDriverOptions): Promise<Driver> {
  const client = await EtcdClient.create({...options, members: await leaderFirst(options)});
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
  readonly #prefix: string;
  readonly #timers: Timers;
  readonly #space: EtcdSpace;
  readonly #watches = new Set<EtcdWatch>();

  constructor(client: EtcdClient, {prefix, timers, tls, log = SILENT_LOG}: EtcdDriverOptions) {
    this.#client = client;
    this.#prefix = bytesOf(prefix);
    this.#timers = timers;
    this.#space = new EtcdSpace({readSpace: () => readSpace({member: client.member, tls}), timers, log});
  }

  async read(asked: readonly PairRange[], {at, bytes = 0}: EngineReadOptions = {}): Promise<EngineAnswer> {
    const ranges = asked.map(range => this.#rangeOf(range, at));
    if (ranges.length === 1) {
      const response = await this.#ask<RangeResponse>('KV/Range', ranges[0] ?? {}, bytes);
      return this.#toAnswer(response.header, [response], at);
    }
    const success = nest(ranges.map(requestRange => ({requestRange})));
    const response = await this.#ask<TxnResponse>('KV/Txn', {success} satisfies TxnRequest, bytes);
    return this.#toAnswer(response.header, flatten(response), at);
  }

  async compareAndWrite(write: GuardedWrite): Promise<WriteAnswer> {
    if (!write.usesReserve) this.#space.assertSpace();
    const key = this.#encode(write.key);
    const compare: object[] = [{result: EQUAL, target: MOD_REVISION, key, modRevision: write.version}];
    if (write.previous !== undefined) compare.push({result: EQUAL, target: VALUE, key, value: write.previous});
    const failure = [{requestRange: {key}}];
    const success = [...nest(this.#operationsOf(write)), {requestPut: {key, value: write.value}}];
    const bytes = write.puts.reduce((sum, [, value]) => sum + value.length, write.value.length);
    try {
      const request: TxnRequest = {compare, success, failure};
      const response = await this.#client.call<TxnResponse>('KV/Txn', request, {bytes});
      const {header, succeeded} = response;
      if (succeeded) return {kind: 'written', version: header.revision};
      return {kind: 'conflict', answer: this.#toAnswer(header, flatten(response))};
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
    return Buffer.from(this.#prefix + key, 'latin1');
  }

  #rangeOf({from, to, limit, keysOnly, reverse}: PairRange, at: number | undefined): RangeRequest {
    const key = this.#encode(from);
    if (to === undefined) return {key, revision: at};
    const sortOrder = reverse ? DESCENDING : undefined;
    return {key, rangeEnd: this.#encode(to), limit, keysOnly, sortOrder, revision: at};
  }

  #toAnswer({revision, clusterId}: ResponseHeader, ranges: readonly RangeResponse[], at = revision): EngineAnswer {
    const toPair = ({key, value, modRevision}: KeyValue): StoredPair => {
      return {key: key.toString('latin1', this.#prefix.length), value, version: modRevision};
    };
    return {found: ranges.map(({kvs}) => kvs.map(toPair)), at, cluster: String(clusterId)};
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
  async #ask<T>(method: EtcdMethod, request: object, bytes: number): Promise<T> {
    const startMs = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#client.call<T>(method, request, {bytes});
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

function toFailure(error: unknown, convert: (failure: CallFailure) => EngineFailure): EngineFailure {
  if (error instanceof EngineFailure) return error;
  if (!(error instanceof CallError)) throw error;
  return convert(error.failure);
}
