import type {Key, Prefix} from './key.ts';

/** Selects a part of the keys, in their order. */
export interface Range {
  /** Only keys that begin with it; empty for all. */
  readonly prefix: Prefix;
  /** Only keys after this one, in the direction of the list. */
  readonly after?: Key | undefined;
  /** Maximum number of entries, at least 1. */
  readonly limit: number;
  /** Descending order of keys. @default {false} */
  readonly reverse?: boolean | undefined;
  /** Includes the values. @default {false} */
  readonly values?: boolean | undefined;
  /** Ends with the entry whose value reaches this total, in bytes. @default {Infinity} */
  readonly valuesBytesMax?: number | undefined;
}
