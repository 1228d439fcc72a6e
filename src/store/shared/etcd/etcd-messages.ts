/** Requests and responses of etcd, as the driver uses them. Members that are not set have the default of their type. */
export interface KeyValue {
  readonly key: Buffer;
  readonly modRevision: number;
  readonly value: Buffer;
}

/** Reads a key, or a range of keys. */
export interface RangeRequest {
  readonly key: Buffer;
  readonly rangeEnd?: Buffer;
  readonly limit?: number | undefined;
  /** The state that is read; the present one if it is not set. */
  readonly revision?: number | undefined;
  readonly keysOnly?: boolean | undefined;
  /** `SortOrder`; by keys. */
  readonly sortOrder?: number | undefined;
  /** Reads what the member has, without asking the others. */
  readonly serializable?: boolean;
}

/** State of the engine when it answered. */
export interface ResponseHeader {
  readonly revision: number;
  /** Rounded to the precision of a number: two ids differ all the same. */
  readonly clusterId: number;
}

/** Result of a {@link RangeRequest}. */
export interface RangeResponse {
  readonly header: ResponseHeader;
  readonly kvs: readonly KeyValue[];
}

/** One operation of a transaction. */
export type RequestOp =
  | {readonly requestRange: RangeRequest}
  | {readonly requestPut: {readonly key: Buffer; readonly value: Uint8Array}}
  | {readonly requestDeleteRange: {readonly key: Buffer; readonly rangeEnd?: Buffer}}
  | {readonly requestTxn: TxnRequest};

/** A transaction: `success` if every comparison holds, else `failure`. */
export interface TxnRequest {
  readonly compare?: readonly object[];
  readonly success: readonly RequestOp[];
  readonly failure?: readonly RequestOp[];
}

/** Result of a {@link TxnRequest}. */
export interface TxnResponse {
  readonly header: ResponseHeader;
  readonly succeeded: boolean;
  readonly responses: readonly {readonly responseRange?: RangeResponse; readonly responseTxn?: TxnResponse}[];
}

/** The members of a cluster. */
export interface MemberListResponse {
  readonly members: readonly {readonly isLearner: boolean}[];
}

/** Message of a watch. */
export interface WatchResponse {
  readonly created: boolean;
  readonly canceled: boolean;
  readonly events: readonly {readonly kv: KeyValue}[];
}
