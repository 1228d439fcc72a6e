import type {RequestPlan} from '../request-plan.ts';

/** Concurrent requests. */
export type Step =
  /** Each on a connection of its own. */
  | {readonly kind: 'parallel'; readonly plans: readonly RequestPlan[]}
  /** On one connection, all sent before any answer. */
  | {readonly kind: 'pipeline'; readonly plans: readonly RequestPlan[]}
  /** Arbitrary bytes. */
  | {readonly kind: 'bytes'; readonly bytes: string};

/** The unit that is run, and reduced if it fails: steps, one after the other. */
export type FuzzCase = readonly Step[];
