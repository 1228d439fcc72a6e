import {VALUE_DEPTH_MAX} from '../json/json-limits.ts';
import {KEY_BYTES_MAX, TRANSACTION_OPERATIONS_MAX, TTL_SECONDS_MAX} from './fixed-limits.ts';

/**
 * Limits of a service. A name ends with its unit; a name without a unit is a count. `GET /api/limits` returns this object.
 * The members of {@link LimitSettings} can be configured, the others are the same in every service.
 */
export interface Limits {
  /** Longest key, in UTF-8 bytes. */
  readonly keyBytesMax: number;
  /** Largest value, in bytes of JSON text. */
  readonly valueBytesMax: number;
  /** Deepest nesting of arrays and objects in a value, in levels. */
  readonly valueDepthMax: number;
  /** Longest time to live, in seconds. */
  readonly ttlSecondsMax: number;
  /** Default number of entries on a page of a listing. */
  readonly listLimit: number;
  /** Maximum number of entries on a page of a listing. */
  readonly listLimitMax: number;
  /** A page with values, and a response to a long poll, ends with the entry that reaches this many bytes of values. */
  readonly listValuesBytesMax: number;
  /** Maximum number of members of all objects in a merge patch together. */
  readonly patchMembersMax: number;
  /** Maximum number of members of all merge patches in a transaction together. */
  readonly transactionPatchMembersMax: number;
  /** Largest transaction, in bytes of its document; also the maximum size of its patches and the values that they patch together. A patch of a value fits. */
  readonly transactionBytesMax: number;
  /** Maximum number of checks in a transaction. */
  readonly transactionChecksMax: number;
  /** Maximum number of operations in a transaction. */
  readonly transactionOperationsMax: number;
  /** Longest line of an import, in bytes. */
  readonly importLineBytesMax: number;
  /** Maximum number of changes that the change log keeps. */
  readonly logChangesMax: number;
  /** Maximum size of the keys and values that the change log keeps, in bytes. */
  readonly logBytesMax: number;
  /** Largest value that the change log keeps, in bytes. Of larger ones only the size is known. */
  readonly logValueBytesMax: number;
  /** Largest value that events carry, in bytes. */
  readonly eventValueBytesMax: number;
  /** Maximum number of commits that wait for the disk. */
  readonly waitingCommitsMax: number;
  /** Maximum number of subscribers at once. */
  readonly subscribersMax: number;
  /** Maximum number of events that wait for one subscriber, apart from those of one commit. A subscriber further behind is disconnected. */
  readonly waitingEventsMax: number;
  /** Maximum size of the keys and values that wait for one subscriber, in bytes, apart from those of one commit. */
  readonly waitingEventBytesMax: number;
  /** Time without events after which an event stream sends a heartbeat, in milliseconds. */
  readonly heartbeatMs: number;
  /** Longest time that a long poll waits for events, in seconds. */
  readonly waitSecondsMax: number;
  /** The response to a long poll ends with the commit that reaches this number of events. */
  readonly waitEventsMax: number;
  /** Maximum number of connections at once, without those of subscribers. */
  readonly connectionsMax: number;
  /** Maximum size of requests, and of answers above 8 KiB, in memory, in bytes. Of smaller answers there is at most one for each connection. */
  readonly heldBytesMax: number;
  /** Largest headers of a request, in bytes. */
  readonly headerBytesMax: number;
  /** Longest time for the headers of a request to arrive, in milliseconds. */
  readonly headersTimeoutMs: number;
  /** Longest time for the body of a request to arrive, in milliseconds; for a body that is read in chunks, the time for each chunk. */
  readonly requestTimeoutMs: number;
  /** Maximum number of requests that the background of one plugin works on at once. */
  readonly pluginRequestsMax: number;
  /** Longest time for the background of a plugin to answer a request, in milliseconds. */
  readonly pluginTimeoutMs: number;
  /** Largest body of a request to a plugin, and of its answer unless it is a file, in bytes. */
  readonly pluginBodyBytesMax: number;
  /** Largest resident memory of the background of a plugin, in bytes. A background that exceeds it is ended. */
  readonly pluginMemoryBytesMax: number;
  /** Maximum number of lines that a plugin logs in a second; the others are dropped and counted. */
  readonly pluginLogLinesMax: number;
}

/** The limits that can be configured. */
export type LimitSettings = Pick<Limits, 'valueBytesMax' | 'valueDepthMax' | 'connectionsMax'>;

/** The values that a configured limit may have. */
export const LIMIT_RANGES: {readonly [N in keyof LimitSettings]: {readonly min: number; readonly max: number}} = {
  // One value of this size takes all of `heldBytesMax`.
  valueBytesMax: {min: 1, max: 256 * 1024 * 1024},
  valueDepthMax: {min: 1, max: 10_000},
  // The number of ports that a client address has.
  connectionsMax: {min: 1, max: 65_535},
};

const VALUE_BYTES_MAX = 1024 * 1024;

/** The limits of a service without settings. */
export const DEFAULT_LIMITS: Limits = {
  keyBytesMax: KEY_BYTES_MAX,
  valueBytesMax: VALUE_BYTES_MAX,
  valueDepthMax: VALUE_DEPTH_MAX,
  ttlSecondsMax: TTL_SECONDS_MAX,
  listLimit: 100,
  // About a millisecond of work and 150 KB of listing.
  listLimitMax: 1000,
  listValuesBytesMax: 4 * 1024 * 1024,
  // A larger change can store the whole value instead.
  patchMembersMax: 1000,
  // 50 ms of the event loop for the slowest texts.
  transactionPatchMembersMax: 10_000,
  transactionBytesMax: transactionBytes(VALUE_BYTES_MAX),
  // One for each operation.
  transactionChecksMax: 1000,
  transactionOperationsMax: TRANSACTION_OPERATIONS_MAX,
  importLineBytesMax: importLineBytes(VALUE_BYTES_MAX),
  // A subscriber that was away for longer starts over.
  logChangesMax: 100_000,
  // Keeps the log smaller than the store if values are large.
  logBytesMax: 64 * 1024 * 1024,
  logValueBytesMax: 64 * 1024,
  // With the longest key and all other members a line of an event takes less than 60 KiB: Go's `bufio.Scanner` and Python's `asyncio` read no line
  // of 64 KiB, and would stop at the same event again and again.
  eventValueBytesMax: 56 * 1024,
  // At 100 KB each these take 400 MB; the limit of connections keeps the number far lower.
  waitingCommitsMax: 4096,
  // A console and some plugins need ten, a test of an airline's page some hundred.
  subscribersMax: 1024,
  waitingEventsMax: 1024,
  waitingEventBytesMax: 1024 * 1024,
  // Shorter than the idle timeouts of common proxies.
  heartbeatMs: 15_000,
  // Below the minute after which idle connections are closed.
  waitSecondsMax: 50,
  waitEventsMax: 1000,
  // Twice the connections of a program that sends a thousand requests at once, because slow clients are disconnected from
  // half of the limit on. Idle connections take some 40 MiB.
  connectionsMax: 2048,
  // 256 of the largest values.
  heldBytesMax: 256 * 1024 * 1024,
  // The default of Node, which every client keeps within.
  headerBytesMax: 16 * 1024,
  headersTimeoutMs: 5000,
  requestTimeoutMs: 15_000,
  // A page sends some ten at once. Above the connections at which the cost of a request is measured, a plugin only falls
  // further behind.
  pluginRequestsMax: 64,
  // Plugins call back ends of airlines, some of which take half of this time.
  pluginTimeoutMs: 30_000,
  // A photograph or a sound. `heldBytesMax` allows 16 of them.
  pluginBodyBytesMax: 16 * 1024 * 1024,
  // Twice the heap of a background.
  pluginMemoryBytesMax: 512 * 1024 * 1024,
  // A plugin that logs each request of its page needs a hundredth of this.
  pluginLogLinesMax: 1000,
};

/** Returns the limits of a service with these settings. */
export function limitsWith({valueBytesMax, valueDepthMax, connectionsMax}: LimitSettings): Limits {
  const importLineBytesMax = importLineBytes(valueBytesMax);
  const transactionBytesMax = transactionBytes(valueBytesMax);
  return {...DEFAULT_LIMITS, valueBytesMax, valueDepthMax, connectionsMax, importLineBytesMax, transactionBytesMax};
}

/**
 * Returns the size of the largest transaction, in bytes. To read 2 MiB, or to apply patches to as much, takes up to some 50 ms of the
 * event loop. A value of the largest size and a patch as large fit into it.
 */
function transactionBytes(valueBytesMax: number): number {
  return Math.max(2 * 1024 * 1024, 2 * valueBytesMax);
}

/**
 * Returns the longest line of an import, in bytes. Each byte of a key may be escaped with six. A value may be sent as a string
 * whose escapes take three times its bytes, as `\u00e9` for `é`.
 */
function importLineBytes(valueBytesMax: number): number {
  const namesAndTimesBytes = 1024;
  return valueBytesMax * 3 + KEY_BYTES_MAX * 6 + namesAndTimesBytes;
}
