import type {GenericSchema} from 'valibot';
import {checkValue, MISSING, UNKNOWN} from '../../core/documents/problems.ts';
import type {SmallRequest} from '../../core/documents/requests.ts';
import {describeUnknown} from '../../core/domain/commits/option-names.ts';
import {readJsonBody} from '../core/body.ts';
import {answer} from '../core/message.ts';
import {type Call, invalidParameter, parseQuery, type RouteHandler} from '../core/route.ts';

/**
 * Reads a query by its schema.
 *
 * @throws {AppError} `invalid-parameter` with the first problem; also for a parameter that the schema lacks.
 */
export function readParameters<T>(query: string, schema: GenericSchema<unknown, T> & {readonly entries: object}): T {
  const checked = checkValue(schema, parseQuery(query));
  if ('value' in checked) return checked.value;
  const [
    {
      keys: [name = ''],
      problem,
    },
  ] = checked.found;
  if (problem === UNKNOWN)
    throw invalidParameter(String(name), describeUnknown(String(name), Object.keys(schema.entries)));
  throw invalidParameter(String(name), problem === MISSING ? 'it is required' : problem);
}

/**
 * Checks that a read that published plugins call gets no parameter but `_`, whose random value `jQuery.ajax({cache: false})` adds.
 *
 * @throws {AppError} `invalid-parameter`.
 */
export function assertNoQueryButRandom(query: string): void {
  if (query !== '' && !RANDOM.test(query)) assertNoQuery(query);
}

/** The query that jQuery makes, for an operation without parameters. */
const RANDOM = /^_=[0-9]{1,20}$/;

/**
 * Checks that an operation without parameters gets none: a parameter that is silently ignored would mislead its sender.
 *
 * @throws {AppError} `invalid-parameter`.
 */
export function assertNoQuery(query: string): void {
  if (query === '') return;
  const [parameter = ''] = Object.keys(parseQuery(query));
  throw invalidParameter(parameter, describeUnknown(parameter, []));
}

/** A JSON text, or an object that becomes one. */
type Document = string | object;

/** Returns an operation without parameters that answers a document. */
export function withoutQuery(write: (call: Call) => Document | Promise<Document>, status = 200): RouteHandler {
  return async call => {
    assertNoQuery(call.query);
    const document = await write(call);
    return answer(typeof document === 'string' ? document : JSON.stringify(document), {status});
  };
}

/** Returns an operation without parameters that reads a small document, and answers a document. */
export function withDocument<T>(
  {bytesMax, read}: SmallRequest<T>,
  write: (document: T) => Document | Promise<Document>,
  status = 200,
): RouteHandler {
  return withBody(bytesMax, body => write(read(body)), status);
}

/** Returns an operation without parameters that reads a body, which is JSON, and answers a document. */
export function withBody(
  sizeBytesMax: number,
  write: (body: Uint8Array, call: Call) => Document | Promise<Document>,
  status = 200,
): RouteHandler {
  return withoutQuery(async call => write(await readJsonBody(call.request, sizeBytesMax), call), status);
}
