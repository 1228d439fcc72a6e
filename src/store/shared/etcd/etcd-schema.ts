import {fromJSON, type MessageTypeDefinition} from '@grpc/proto-loader';

/**
 * The messages of etcd (`rpc.proto`, `kv.proto`) that the driver uses, with type and number of each field; the same from 3.4 to 3.7. Enums
 * are numbers here: the library takes an unknown name of an enum for 0.
 */
const MESSAGES = {
  Header: {clusterId: ['uint64', 1], revision: ['int64', 3]},
  KeyValue: {key: ['bytes', 1], modRevision: ['int64', 3], value: ['bytes', 5]},
  RangeRequest: {
    key: ['bytes', 1],
    rangeEnd: ['bytes', 2],
    limit: ['int64', 3],
    revision: ['int64', 4],
    sortOrder: ['int32', 5],
    serializable: ['bool', 7],
    keysOnly: ['bool', 8],
  },
  RangeResponse: {header: ['Header', 1], kvs: ['KeyValue', 2, 'repeated']},
  PutRequest: {key: ['bytes', 1], value: ['bytes', 2]},
  DeleteRangeRequest: {key: ['bytes', 1], rangeEnd: ['bytes', 2]},
  Compare: {
    result: ['int32', 1],
    target: ['int32', 2],
    key: ['bytes', 3],
    modRevision: ['int64', 6],
    value: ['bytes', 7],
  },
  RequestOp: {
    requestRange: ['RangeRequest', 1],
    requestPut: ['PutRequest', 2],
    requestDeleteRange: ['DeleteRangeRequest', 3],
    requestTxn: ['TxnRequest', 4],
  },
  ResponseOp: {responseRange: ['RangeResponse', 1], responseTxn: ['TxnResponse', 4]},
  TxnRequest: {
    compare: ['Compare', 1, 'repeated'],
    success: ['RequestOp', 2, 'repeated'],
    failure: ['RequestOp', 3, 'repeated'],
  },
  TxnResponse: {header: ['Header', 1], succeeded: ['bool', 2], responses: ['ResponseOp', 3, 'repeated']},
  WatchRequest: {createRequest: ['WatchCreateRequest', 1]},
  WatchCreateRequest: {key: ['bytes', 1]},
  WatchEvent: {kv: ['KeyValue', 2]},
  WatchResponse: {created: ['bool', 3], canceled: ['bool', 4], events: ['WatchEvent', 11, 'repeated']},
  AuthenticateRequest: {name: ['string', 1], password: ['string', 2]},
  AuthenticateResponse: {token: ['string', 2]},
  Member: {isLearner: ['bool', 5]},
  MemberListRequest: {},
  MemberListResponse: {members: ['Member', 2, 'repeated']},
} as const;

/** The methods that the driver calls, with their messages. */
const METHODS = {
  'KV/Range': ['RangeRequest', 'RangeResponse'],
  'KV/Txn': ['TxnRequest', 'TxnResponse'],
  'Watch/Watch': ['WatchRequest', 'WatchResponse'],
  'Auth/Authenticate': ['AuthenticateRequest', 'AuthenticateResponse'],
  'Cluster/MemberList': ['MemberListRequest', 'MemberListResponse'],
} as const;

type Messages = typeof MESSAGES;
type Name = keyof Messages;
type Scalars = {int32: number; int64: number; uint64: number; bool: boolean; string: string};
type Bytes = {readonly given: Uint8Array; readonly received: Buffer};
type Value<T, K extends keyof Bytes> = T extends Name
  ? {given: Sent<T>; received: Message<T>}[K]
  : T extends keyof Scalars
    ? Scalars[T]
    : Bytes[K];
type Field<F, K extends keyof Bytes> = F extends readonly [infer T, number, 'repeated']
  ? readonly Value<T, K>[]
  : F extends readonly [infer T, number]
    ? Value<T, K>
    : never;

/** A message that was received. Members not sent have the default of their type; messages in it are null then. */
export type Message<N extends Name> = {readonly [F in keyof Messages[N]]: Field<Messages[N][F], 'received'>};

/** A message to be sent. */
export type Sent<N extends Name> = {readonly [F in keyof Messages[N]]?: Field<Messages[N][F], 'given'> | undefined};

/** A method of etcd, its request and its response. */
export type EtcdMethod = keyof typeof METHODS;
export type RequestOf<M extends EtcdMethod> = Sent<(typeof METHODS)[M][0]>;
export type ResponseOf<M extends EtcdMethod> = Message<(typeof METHODS)[M][1]>;

/** How a method is called. */
export interface Encoding<M extends EtcdMethod> {
  readonly path: string;
  readonly serialize: (request: RequestOf<M>) => Buffer;
  readonly deserialize: (bytes: Buffer) => ResponseOf<M>;
}

/** Returns the encodings of all methods. */
export function createEncodings(): <M extends EtcdMethod>(method: M) => Encoding<M> {
  const toField = ([type, id, rule]: readonly [string, number, string?]): object => ({type, id, ...(rule && {rule})});
  const nested = mapValues(MESSAGES, fields => ({fields: mapValues(fields, toField)}));
  // 64-bit numbers as numbers: revisions of etcd stay far below 2^53, and two ids of clusters differ all the same.
  const found = fromJSON({nested: {etcdserverpb: {nested}}} as object, {
    ...{keepCase: true, longs: Number, defaults: true, arrays: true},
  });
  const typeOf = (name: string): MessageTypeDefinition<object, object> =>
    found[`etcdserverpb.${name}`] as MessageTypeDefinition<object, object>;
  return <M extends EtcdMethod>(method: M) => {
    const [request, response] = METHODS[method];
    const {serialize} = typeOf(request);
    const deserialize = typeOf(response).deserialize as Encoding<M>['deserialize'];
    return {path: `/etcdserverpb.${method}`, serialize, deserialize};
  };
}

function mapValues<T, R>(record: Readonly<Record<string, T>>, map: (value: T) => R): Readonly<Record<string, R>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
}
