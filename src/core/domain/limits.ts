import {VALUE_DEPTH_MAX} from '../json/json-limits.ts';
import {KEY_BYTES_MAX, TRANSACTION_OPERATIONS_MAX, TTL_SECONDS_MAX} from './fixed-limits.ts';

const VALUE_BYTES_MAX = 1024 * 1024;

/**
 * The limits of a service without settings. A name ends with its unit; a name without a unit is a count. The members of {@link LimitSettings} can be
 * configured, the others are the same in every service.
 */
export const DEFAULT_LIMITS = {
  /** Longest key, in UTF-8 bytes. */
  keyBytesMax: KEY_BYTES_MAX,
  /** Largest value, in bytes of JSON text. */
  valueBytesMax: VALUE_BYTES_MAX,
  /** Deepest nesting of arrays and objects in a value, in levels. */
  valueDepthMax: VALUE_DEPTH_MAX,
  /** Longest time to live, in seconds. */
  ttlSecondsMax: TTL_SECONDS_MAX,
  /** Default number of entries on a page of a listing. */
  listLimit: 100,
  /** Maximum number of entries on a page of a listing: about a millisecond of work and 150 KB. */
  listLimitMax: 1000,
  /** A page with values, and a response to a long poll, ends with the entry that reaches this many bytes of values. */
  listValuesBytesMax: 4 * 1024 * 1024,
  /** Maximum number of members of all objects in a merge patch together. A larger change can store the whole value instead. */
  patchMembersMax: 1000,
  /** Maximum number of members of all merge patches in a transaction together: 50 ms of the event loop for the slowest texts. */
  transactionPatchMembersMax: 10_000,
  /** Largest transaction, in bytes of its document; also the maximum size of its patches and the values that they patch together. A patch of a value fits. */
  transactionBytesMax: transactionBytes(VALUE_BYTES_MAX),
  /** Maximum number of checks in a transaction: one for each operation. */
  transactionChecksMax: 1000,
  /** Maximum number of operations in a transaction. */
  transactionOperationsMax: TRANSACTION_OPERATIONS_MAX,
  /** Longest line of an import, in bytes. */
  importLineBytesMax: importLineBytes(VALUE_BYTES_MAX),
  /** Maximum number of changes that the change log keeps. A subscriber that was away for longer starts over. */
  logChangesMax: 100_000,
  /** Maximum size of the keys and values that the change log keeps, in bytes, so that it stays smaller than a store of large values. */
  logBytesMax: 64 * 1024 * 1024,
  /** Largest value that the change log keeps, in bytes. Of larger ones only the size is known. */
  logValueBytesMax: 64 * 1024,
  /**
   * Largest value that events carry, in bytes. With the longest key and all other members a line of an event takes less than 60 KiB: Go's
   * `bufio.Scanner` and Python's `asyncio` read no line of 64 KiB, and would stop at the same event again and again.
   */
  eventValueBytesMax: 56 * 1024,
  /** Maximum number of commits that wait for the disk. At 100 KB each these take 400 MB; the limit of connections keeps the number far lower. */
  waitingCommitsMax: 4096,
  /** Maximum number of subscribers at once. A console and some plugins need ten, a test of an airline's page some hundred. */
  subscribersMax: 1024,
  /** Maximum number of events that wait for one subscriber, apart from those of one commit. A subscriber further behind is disconnected. */
  waitingEventsMax: 1024,
  /** Maximum size of the keys and values that wait for one subscriber, in bytes, apart from those of one commit. */
  waitingEventBytesMax: 1024 * 1024,
  /** Time without events after which an event stream sends a heartbeat, in milliseconds: shorter than the idle timeouts of common proxies. */
  heartbeatMs: 15_000,
  /** Longest time that a long poll waits for events, in seconds: below the minute after which idle connections are closed. */
  waitSecondsMax: 50,
  /** The response to a long poll ends with the commit that reaches this number of events. */
  waitEventsMax: 1000,
  /**
   * Maximum number of connections at once, without those of subscribers: twice those of a program that sends a thousand requests at once, because
   * slow clients are disconnected from half of the limit on. Idle connections take some 40 MiB.
   */
  connectionsMax: 2048,
  /**
   * Maximum size of requests, and of answers above 8 KiB, in memory, in bytes: 256 of the largest values. Of smaller answers there is at most one for
   * each connection.
   */
  heldBytesMax: 256 * 1024 * 1024,
  /** Largest headers of a request, in bytes: the default of Node, which every client keeps within. */
  headerBytesMax: 16 * 1024,
  /** Longest time for the headers of a request to arrive, in milliseconds. */
  headersTimeoutMs: 5000,
  /** Longest time for the body of a request to arrive, in milliseconds; for a body that is read in chunks, the time for each chunk. */
  requestTimeoutMs: 15_000,
  /**
   * Maximum number of requests that the background of one plugin works on at once. A page sends some ten. Above the connections at which the cost of a
   * request is measured, a plugin only falls further behind.
   */
  pluginRequestsMax: 64,
  /** Longest time for the background of a plugin to answer a request, in milliseconds: back ends of airlines, which it calls, may take half of it. */
  pluginTimeoutMs: 30_000,
  /** Largest body of a request to a plugin, and of its answer unless it is a file, in bytes: a photograph, a sound. `heldBytesMax` allows 16. */
  pluginBodyBytesMax: 16 * 1024 * 1024,
  /** Largest resident memory of the background of a plugin, in bytes. A background that exceeds it, twice its heap, is ended. */
  pluginMemoryBytesMax: 512 * 1024 * 1024,
  /** Maximum number of lines that a plugin logs in a second; the others are dropped; those of a background are counted. One that logs each request needs a hundredth. */
  pluginLogLinesMax: 1000,
} as const;

/** Limits of a service, as `GET /api/limits` returns them: those of {@link DEFAULT_LIMITS}. */
export type Limits = {readonly [N in keyof typeof DEFAULT_LIMITS]: number};

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
