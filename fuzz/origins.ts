import fc from 'fast-check';

/** Origins to allow; some are wrong. */
export const ORIGINS: fc.Arbitrary<unknown> = fc.oneof(
  {weight: 4, arbitrary: fc.constantFrom({origin: 'http://localhost:3000'}, {origin: 'https://va.example'})},
  fc.constantFrom({origin: 'null'}, {origin: '*'}, {origin: 'http://va.example/'}, {origin: 1}, {}),
);
