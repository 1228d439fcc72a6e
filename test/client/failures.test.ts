import {describe, expect, test} from 'vitest';
import {createClient} from '../../src/client/index.ts';
import {createService} from '../../src/client/service/index.ts';
import {createTransfer} from '../../src/client/transfer/index.ts';
import {AppError, describeFailure} from '../../src/core/failures/app-error.ts';
import {statusOf} from '../../src/core/failures/facts.ts';
import type {AnyFailure, FailureCode} from '../../src/core/failures/failure.ts';
import {formatFailure} from '../../src/core/protocol/failure/failure-document.ts';
import {exactDocument} from '../support/exact-document.ts';
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
  'foreign-page', // the client sends the header that the guard asks for
  'other-user', // left to bundles of the service's own calls: here it has no members
  'too-slow', // streams are closed without it; only `waitSeconds` answers with it
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
  const {paths} = exactDocument((await (await fetch(`${service().url}/openapi.json`)).json()) as Document);
  const responses = OPERATIONS.flatMap(([path, method]) => Object.values(paths[path]?.[method]?.responses ?? {}));
  const parts = responses.flatMap(({content}) => content?.['application/problem+json']?.schema.allOf ?? []);
  return [...new Set(parts.flatMap(({properties}) => properties?.code.enum ?? []))];
}

/** Answers every request with a failure. */
const failing = (failure: AnyFailure) => ({
  attemptsMax: 1,
  fetch: async () =>
    new Response(formatFailure(new AppError(failure), {title: 'Failed', instance: 'id'}), {
      status: statusOf(failure),
      headers: {'Crewroom-API': '1'},
    }),
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

  test('throws a failure of other operations with its members and its message', async () => {
    const failure = FAILURES['wrong-credentials'];
    expect(await thrownBy(createClient(failing(failure)).identity())).toMatchObject({
      code: 'wrong-credentials',
      failure,
      message: describeFailure(failure),
    });
  });
});

describe('createService() and createTransfer()', () => {
  for (const code of ['wrong-credentials', 'busy', 'invalid-import', 'too-slow', 'no-entry'] as const)
    test(`throw "${code}" with all members`, async () => {
      const options = failing(FAILURES[code]);
      expect((await thrownBy(createService(options).sessions.status())).failure).toEqual(FAILURES[code]);
      expect((await thrownBy(createTransfer(options).export())).failure).toEqual(FAILURES[code]);
    });

  for (const [what, rest] of [
    ['no last line', '{"key":"a","value":1}\n'],
    ['half a last line', '{"key":"a","value":1}\n{"end":true'],
  ] as const)
    test(`do not take an export with ${what} for a whole one`, async () => {
      const text = `{"format":"crewroom-export","version":1,"revision":"2","prefix":""}\n${rest}`;
      const exported = await createTransfer({
        fetch: async () => new Response(text, {headers: {'Crewroom-API': '1'}}),
      }).export();
      const chunks: Uint8Array[] = [];
      const read = async (): Promise<void> => {
        for await (const chunk of exported) chunks.push(chunk);
      };
      await expect(read()).rejects.toMatchObject({
        failure: {code: 'unexpected-answer', problem: 'it was cut off before its end'},
      });
      expect(Buffer.concat(chunks).toString()).toBe(text);
    });
});
