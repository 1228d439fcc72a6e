import type {Transaction, TransactionCheck, TransactionOperation} from '../../domain/entries.ts';
import {KEY_BYTES_MAX, TTL_SECONDS_MAX} from '../../domain/fixed-limits.ts';
import {createValueScan} from '../../domain/json-scanner.ts';
import type {Limits} from '../../domain/limits.ts';
import {parseRevision} from '../../domain/revision.ts';
import {isTtl} from '../../domain/time-to-live.ts';
import {AppError} from '../../failures/app-error.ts';

/** The limits of {@link readPlainTransaction}. */
export type PlainLimits = Pick<Limits, 'valueDepthMax' | 'transactionChecksMax' | 'transactionOperationsMax'>;

/**
 * Reads the document of a transaction if it is like those that most programs send: puts, deletions and checks, with their members in the
 * order in which the documentation and the client write them, and with ASCII keys without escapes. One pass, without an index of the document and
 * without an object for each member. Synchronous: only for documents that may be read in one tick.
 *
 * @returns Undefined for any other document, also for one with a problem.
 */
export function readPlainTransaction(body: Uint8Array, limits: PlainLimits): Transaction | undefined {
  try {
    return new PlainReader(body, limits).read();
  } catch (error) {
    // A value is not JSON, or too deep.
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const ZERO = 0x30;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const DELETE_CHARACTER = 0x7f;

const CHECKS = encode('"checks"');
const OPERATIONS = encode('"operations"');
const KIND = encode('"kind"');
const KEY = encode('"key"');
const VALUE = encode('"value"');
const TTL_SECONDS = encode('"ttlSeconds"');
const REVISION = encode('"revision"');
const ABSENT = encode('"absent"');
const PUT = encode('"put"');
const DELETE = encode('"delete"');
const TRUE = encode('true');

const TTL_DIGITS_MAX = String(TTL_SECONDS_MAX).length;

/** Reads tokens from left to right. Each method returns undefined or false if the next token is another one. */
class PlainReader {
  readonly #bytes: Buffer;
  readonly #limits: PlainLimits;
  readonly #scanValue: (start: number) => number;
  #at = 0;

  constructor(bytes: Uint8Array, limits: PlainLimits) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#limits = limits;
    this.#scanValue = createValueScan(bytes, {depthMax: limits.valueDepthMax});
  }

  read(): Transaction | undefined {
    if (!this.#skip(OPEN_OBJECT)) return undefined;
    const hasChecks = this.#skipName(CHECKS);
    const checks = hasChecks ? this.#list(this.#limits.transactionChecksMax, () => this.#check()) : [];
    if (checks === undefined || (hasChecks && !this.#skip(COMMA)) || !this.#skipName(OPERATIONS)) return undefined;
    const operations = this.#list(this.#limits.transactionOperationsMax, () => this.#operation());
    if (operations === undefined || !this.#skip(CLOSE_OBJECT)) return undefined;
    this.#skipSpace();
    return this.#at === this.#bytes.length ? {checks, operations} : undefined;
  }

  #list<T>(countMax: number, readElement: () => T | undefined): readonly T[] | undefined {
    if (!this.#skip(OPEN_ARRAY)) return undefined;
    const elements: T[] = [];
    if (this.#skip(CLOSE_ARRAY)) return elements;
    do {
      const element = elements.length < countMax ? readElement() : undefined;
      if (element === undefined) return undefined;
      elements.push(element);
    } while (this.#skip(COMMA));
    return this.#skip(CLOSE_ARRAY) ? elements : undefined;
  }

  #check(): TransactionCheck | undefined {
    const key = this.#skip(OPEN_OBJECT) && this.#skipName(KEY) ? this.#text() : undefined;
    if (key === undefined || !this.#skip(COMMA)) return undefined;
    const expected = this.#skipName(ABSENT)
      ? this.#skipLiteral(TRUE) && 'absent'
      : this.#skipName(REVISION) && parseRevision(this.#text() ?? '');
    if (expected === undefined || expected === false || !this.#skip(CLOSE_OBJECT)) return undefined;
    return {key, expected};
  }

  #operation(): TransactionOperation | undefined {
    if (!this.#skip(OPEN_OBJECT) || !this.#skipName(KIND)) return undefined;
    const isPut = this.#skipLiteral(PUT);
    if (!isPut && !this.#skipLiteral(DELETE)) return undefined;
    const key = this.#skip(COMMA) && this.#skipName(KEY) ? this.#text() : undefined;
    if (key === undefined) return undefined;
    if (isPut) return this.#put(key);
    return this.#skip(CLOSE_OBJECT) ? {kind: 'delete', key} : undefined;
  }

  /** Reads the value and the time to live, in any order. */
  #put(key: string): TransactionOperation | undefined {
    let json: Uint8Array | undefined;
    let ttlSeconds: number | undefined;
    while (this.#skip(COMMA)) {
      if (json === undefined && this.#skipName(VALUE)) json = this.#value();
      else if (ttlSeconds === undefined && this.#skipName(TTL_SECONDS)) {
        ttlSeconds = this.#wholeNumber();
        if (!isTtl(ttlSeconds)) return undefined;
      } else return undefined;
    }
    return json !== undefined && this.#skip(CLOSE_OBJECT) ? {kind: 'put', key, json, ttlSeconds} : undefined;
  }

  #value(): Uint8Array {
    this.#skipSpace();
    const start = this.#at;
    this.#at = this.#scanValue(start);
    return this.#bytes.subarray(start, this.#at);
  }

  /** Reads a string of ASCII characters without escapes. */
  #text(): string | undefined {
    if (!this.#skip(QUOTE)) return undefined;
    const start = this.#at;
    const bytes = this.#bytes;
    let at = start;
    for (let byte = bytes[at]; byte !== QUOTE; byte = bytes[++at])
      if (byte === undefined || byte < 0x20 || byte >= DELETE_CHARACTER || byte === BACKSLASH) return undefined;
    if (at - start > KEY_BYTES_MAX) return undefined;
    this.#at = at + 1;
    return bytes.toString('latin1', start, at);
  }

  #wholeNumber(): number {
    this.#skipSpace();
    let number = 0;
    const start = this.#at;
    for (let digit = this.#digit(); digit !== undefined; digit = this.#digit()) {
      // No number begins with zero, since no time to live is 0.
      if ((number === 0 && digit === 0) || this.#at - start >= TTL_DIGITS_MAX) return Number.NaN;
      number = number * 10 + digit;
      this.#at++;
    }
    return number;
  }

  #digit(): number | undefined {
    const digit = (this.#bytes[this.#at] ?? 0) - ZERO;
    return digit >= 0 && digit < 10 ? digit : undefined;
  }

  /** Skips the name of a member, and the colon after it. */
  #skipName(name: Uint8Array): boolean {
    const at = this.#at;
    if (this.#skipLiteral(name) && this.#skip(COLON)) return true;
    // Another name may stand here, but not behind this one.
    this.#at = at;
    return false;
  }

  #skipLiteral(literal: Uint8Array): boolean {
    this.#skipSpace();
    const bytes = this.#bytes;
    const at = this.#at;
    for (let index = 0; index < literal.length; index++) if (bytes[at + index] !== literal[index]) return false;
    this.#at = at + literal.length;
    return true;
  }

  #skip(token: number): boolean {
    this.#skipSpace();
    if (this.#bytes[this.#at] !== token) return false;
    this.#at++;
    return true;
  }

  #skipSpace(): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (let byte = bytes[at]; byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09; ) byte = bytes[++at];
    this.#at = at;
  }
}

function encode(token: string): Uint8Array {
  return new TextEncoder().encode(token);
}
