import {fromJSON} from '@grpc/proto-loader';

/** A field: its type, number, and whether it is repeated. Enums are numbers here: the library takes an unknown name of an enum for 0. */
type Fields = Readonly<Record<string, readonly [type: string, id: number, rule?: 'repeated']>>;

/** The part of the messages of etcd (`rpc.proto`, `kv.proto`) that the driver uses, which is the same from 3.4 to 3.7. */
const MESSAGES: Readonly<Record<string, Fields>> = {
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
};

/** Members of which at most one is set; a member that is not set is left out then. */
const ONE_OF: Readonly<Record<string, readonly string[]>> = {
  Compare: ['modRevision', 'value'],
  RequestOp: ['requestRange', 'requestPut', 'requestDeleteRange', 'requestTxn'],
  ResponseOp: ['responseRange', 'responseTxn'],
  WatchRequest: ['createRequest'],
};

const SERVICES = {
  KV: {Range: ['RangeRequest', 'RangeResponse'], Txn: ['TxnRequest', 'TxnResponse']},
  Cluster: {MemberList: ['MemberListRequest', 'MemberListResponse']},
  Auth: {Authenticate: ['AuthenticateRequest', 'AuthenticateResponse']},
  Watch: {Watch: ['WatchRequest', 'WatchResponse']},
} as const;

/** The methods that the driver calls. */
export type EtcdMethod = 'KV/Range' | 'KV/Txn' | 'Cluster/MemberList' | 'Auth/Authenticate' | 'Watch/Watch';

/** The encoding of a method. */
export interface EtcdEncoding {
  readonly path: string;
  readonly requestSerialize: (request: object) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => object;
}

/** Returns the encodings of all methods. */
export function createEncodings(): (method: EtcdMethod) => EtcdEncoding {
  const nested = {...describeMessages(), ...describeServices()};
  // 64-bit numbers as numbers: revisions of etcd stay far below 2^53. Absent members get their default values.
  const options = {keepCase: true, longs: Number, defaults: true, arrays: true} as const;
  const definitions = fromJSON({nested: {etcdserverpb: {nested}}}, options);
  return method => {
    const [service = '', name = ''] = method.split('/');
    const methods = definitions[`etcdserverpb.${service}`] as unknown as Readonly<Record<string, EtcdEncoding>>;
    const found = methods[name];
    if (found === undefined) throw new TypeError(`the schema has no method ${method}`);
    return found;
  };
}

function describeMessages(): Readonly<Record<string, object>> {
  return Object.fromEntries(
    Object.entries(MESSAGES).map(([name, fields]) => {
      const oneof = ONE_OF[name];
      return [
        name,
        {
          fields: Object.fromEntries(
            Object.entries(fields).map(([field, [type, id, rule]]) => [field, rule ? {type, id, rule} : {type, id}]),
          ),
          ...(oneof === undefined ? {} : {oneofs: {one: {oneof: [...oneof]}}}),
        },
      ];
    }),
  );
}

function describeServices(): Readonly<Record<string, object>> {
  return Object.fromEntries(
    Object.entries(SERVICES).map(([name, methods]) => [
      name,
      {
        methods: Object.fromEntries(
          Object.entries(methods).map(([method, [requestType, responseType]]) => [
            method,
            {requestType, responseType, ...(name === 'Watch' ? {requestStream: true, responseStream: true} : {})},
          ]),
        ),
      },
    ]),
  );
}
