import fc from 'fast-check';

/** Faults of requests with `--faults`. Deletions of all entries, which begin a case, always work. */
export const FAULTS: readonly string[] = [
  'delay 20ms --probability 0.1 --seed 1',
  'error store-busy --path /api/store/* --probability 0.1 --seed 2',
  'error disk-full --path /api/transactions --probability 0.2 --seed 3',
  'error internal --path /api/events --probability 0.1 --seed 4',
  'error no-identity --path /api/identity --probability 0.2 --seed 5',
];

/** Codes of the failures that these faults cause. */
export const FAULT_CODES: readonly string[] = ['store-busy', 'disk-full', 'internal', 'no-identity'];

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
