/**
 * Functions that run the tests: `describe` and `test` of vitest, jest, mocha or node:test, or anything that takes a
 * name and a function. A test fails if its function rejects.
 */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly test: (name: string, body: () => Promise<void>) => unknown;
}

/** The subject of a contract, and its test runner. */
export interface Contract<T extends AsyncDisposable> extends TestRunner {
  /** Name of the subject, for the names of the tests. */
  readonly name: string;
  /** Opens a new and empty one. Each test opens its own, and disposes of it at its end. */
  readonly open: () => Promise<T>;
}

/** One promise of a contract, as a sentence, and its check. */
export interface ContractTest<T> {
  readonly name: string;
  run(subject: T): Promise<void>;
}

/** Tests under a common heading. */
export interface ContractPart<T> {
  readonly name: string;
  readonly tests: readonly ContractTest<T>[];
}

/** Passes every test of a contract to the test runner. */
export function runContract<T extends AsyncDisposable>(
  {name, open, describe, test}: Contract<T>,
  parts: readonly ContractPart<T>[],
): void {
  describe(name, () => {
    for (const part of parts) {
      describe(part.name, () => {
        for (const each of part.tests) test(each.name, () => runTest(each, open));
      });
    }
  });
}

async function runTest<T extends AsyncDisposable>(test: ContractTest<T>, open: () => Promise<T>): Promise<void> {
  const subject = await open();
  try {
    await test.run(subject);
  } finally {
    await subject[Symbol.asyncDispose]();
  }
}
