import fc from 'fast-check';

/** Faults of requests with `--faults`. Deletions of all entries, which begin a case, always work. */
export const FAULTS: readonly string[] = [
  'delay 20ms --path /api/*1*',
  'error busy --path /api/store/*1*',
  'error disk-full --path /api/transactions',
  'error internal --path /api/events',
  'error no-identity --path /api/identity',
];

/** Codes of the failures that these faults cause. */
export const FAULT_CODES: readonly string[] = ['busy', 'disk-full', 'internal', 'no-identity'];

/** Operations that would change these faults. */
export const FAULT_OPERATIONS: readonly string[] = ['setFaults', 'addFaults', 'clearFaults'];

/** Bodies that switch no fault on, however they are spoilt. */
export const NO_FAULTS: fc.Arbitrary<unknown> = fc.oneof(
  {weight: 3, arbitrary: fc.constant({faults: []})},
  fc.constantFrom({faults: [{kind: 'absent'}]}, {faults: [{}]}, {faults: {}}, {faults: 1}, {}, [], {
    faults: [],
    others: [],
  }),
);
