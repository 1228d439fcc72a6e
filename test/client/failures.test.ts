import {describe, expect, test} from 'vitest';
import {createClient} from '../../src/client/index.ts';
import {createService} from '../../src/client/service/index.ts';
import {createTransfer} from '../../src/client/transfer/index.ts';
import {AppError, describeFailure} from '../../src/failures/app-error.ts';
import {statusOf} from '../../src/failures/facts.ts';
import type {Failure, FailureCode} from '../../src/failures/failure.ts';
import {formatFailure} from '../../src/protocol/failure/failure-document.ts';
import {FAILURES} from '../support/sample-failures.ts';
import {useService} from '../support/service.ts';

const service = useService({ephemeral: true});

/** The operations that `createClient()` calls. */
const OPERATIONS = [
  ['/api', 'get'],
  ['/api/identity', 'get'],
  ['/api/store/{key}', 'get'],
  ['/api/store/{key}', 'put'],
  ['/api/store/{key}', 'patch'],
  ['/api/store/{key}', 'delete'],
  ['/api/keys', 'get'],
  ['/api/keys', 'delete'],
  ['/api/transactions', 'post'],
  ['/api/events', 'get'],
] as const;

/** Failures of requests that the client never sends, or that it leaves out for its size. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'malformed-request', // `fetch` writes well-formed requests
  'invalid-header', // preconditions and cursors are written from revisions
  'unsupported-body', // bodies have one content type, and are not compressed
  'not-a-page', // requests of `fetch` are not navigations
  'unmarked-request', // the client sends the header that the guard asks for
  'other-user', // left to bundles of the service's own calls: here it is an `unknown-failure`, with its message and advice
  'subscriber-too-slow', // streams are closed without it; only `wait` answers with it
]);

interface Responses {
  readonly [status: string]: {
    readonly content?: {readonly 'application/problem+json'?: {readonly schema: {readonly allOf: readonly Code[]}}};
  };
}

interface Code {
  readonly properties?: {readonly code: {readonly enum: readonly FailureCode[]}};
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, {readonly responses: Responses}>>>>;
}

/** Returns the codes of the failures that the document of the API names for the operations of the client. */
async function documentedCodes(): Promise<readonly FailureCode[]> {
  const {paths} = (await (await fetch(`${service().url}/openapi.json`)).json()) as Document;
  const responses = OPERATIONS.flatMap(([path, method]) => Object.values(paths[path]?.[method]?.responses ?? {}));
  const parts = responses.flatMap(({content}) => content?.['application/problem+json']?.schema.allOf ?? []);
  return [...new Set(parts.flatMap(({properties}) => properties?.code.enum ?? []))];
}

/** Answers every request with a failure. */
const failing = (failure: Failure) => ({
  attemptsMax: 1,
  fetch: async () =>
    new Response(formatFailure(new AppError(failure), {title: 'Failed', instance: 'id'}), {status: statusOf(failure)}),
});

const thrownBy = (call: Promise<unknown>): Promise<AppError> =>
  call.then(
    () => undefined as never,
    error => error,
  );

describe('createClient()', () => {
  test('throws each failure of its operations with all members', async () => {
    const codes = (await documentedCodes()).filter(code => !LEFT_OUT.has(code));
    expect(codes.length).toBeGreaterThan(20);
    for (const code of codes) {
      const {failure} = await thrownBy(createClient(failing(FAILURES[code])).identity());
      expect(failure).toEqual(FAILURES[code]);
    }
  });

  test('throws a failure of other operations with its code and its message', async () => {
    const failure = FAILURES['wrong-credentials'];
    expect((await thrownBy(createClient(failing(failure)).identity())).failure).toMatchObject({
      code: 'unknown-failure',
      sentCode: 'wrong-credentials',
      detail: describeFailure(failure),
    });
  });
});

describe('createService() and createTransfer()', () => {
  for (const code of ['wrong-credentials', 'sign-in-busy', 'invalid-import', 'reader-too-slow', 'no-entry'] as const)
    test(`throw "${code}" with all members`, async () => {
      const options = failing(FAILURES[code]);
      expect((await thrownBy(createService(options).sessions.status())).failure).toEqual(FAILURES[code]);
      expect((await thrownBy(createTransfer(options).export())).failure).toEqual(FAILURES[code]);
    });
});
