import fc from 'fast-check';

/** Choices of a sample pilot; some are wrong. */
export const PILOTS: fc.Arbitrary<unknown> = fc.oneof(
  {weight: 4, arbitrary: fc.constantFrom('captain', 'first-officer', 'signed-out', 'long-names').map(name => ({name}))},
  fc.constantFrom({name: 'absent'}, {name: '__proto__'}, {name: 1}, {}, {name: 'captain', other: 1}),
);
