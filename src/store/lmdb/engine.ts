import {assertUndamaged, removeUnfinished} from './check-pages.ts';
import {openEnvironment, reopenEnvironment} from './environment.ts';
import {takeLock} from './process-lock.ts';

/** LMDB: keeps the tree of a store, and the lock of its directory. */
export const LMDB = {openEnvironment, reopenEnvironment, assertUndamaged, removeUnfinished, takeLock} as const;

/** The engine of a store. Tests have one in memory, which keeps the same promises. */
export type Engine = typeof LMDB;
