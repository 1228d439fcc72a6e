import {describeUnknown} from '../../core/domain/commits/option-names.ts';
import {assertTtl, type TtlSeconds} from '../../core/domain/commits/time-to-live.ts';
import type {DeleteOptions} from '../../core/domain/entries/entries.ts';
import type {SharedEntry} from '../../core/domain/entries/entry.ts';
import {formatEntityTag, type Revision} from '../../core/domain/entries/identifiers.ts';
import {AppError, isFailure, refusedHeader} from '../../core/failures/app-error.ts';
import {formatEntryHeaders} from '../../core/protocol/headers/entry-headers.ts';
import {isAlreadyRead, readExpectation} from '../../core/protocol/headers/preconditions.ts';
import type {RequestHeaders} from '../../core/protocol/headers/request-headers.ts';
import {createTimeFormat} from '../../core/protocol/text/format-time.ts';
import {formatCommitted} from '../../core/protocol/transaction/write-transaction.ts';
import {readJsonBody} from '../core/body.ts';
import {answer, emptyAnswer, type HttpAnswer} from '../core/message.ts';
import {type Call, invalidParameter, parseQuery, type Route, type RouteHandler} from '../core/route.ts';
import {assertNoQuery, assertNoQueryButRandom} from './read-parameters.ts';
import type {EntryRoutesDeps} from './routes-deps.ts';

/** `/api/store/{key}`: one entry. */
export function storeRoutes({entries, store, limits}: EntryRoutesDeps): readonly Route[] {
  const document = (revision: Revision): string => formatCommitted({storeId: store.id, revision});
  const answerEntry = answersWithEntries(store);
  const write =
    (method: 'POST' | 'PUT'): RouteHandler =>
    async ({request, caller, key, query}) => {
      const ttlSeconds = readTtl(query);
      // Before the body is read: a client that waits for "100 Continue" need not send it.
      const expected = readExpectation(request.headers);
      const body = readJsonBody(request, limits.valueBytesMax, 'value');
      const json = body instanceof Promise ? await body : body;
      const written = await entries.put(key, json, {expected, ttlSeconds, writtenBy: caller.principal});
      const rawHeaders = ['ETag', written.etag];
      // The specification demands 200 and `{}`, whether or not the entry existed; PUT tells the two apart.
      if (method === 'POST') return answer('{}', {rawHeaders});
      return answer(document(written.revision), {status: written.created ? 201 : 200, rawHeaders});
    };
  return [
    {
      path: '/api/store/{key}',
      needs: {read: ({key}) => `entries:read:${key}`, change: ({key}) => `entries:write:${key}`},
      GET: ({request: {headers}, key, query}) => {
        assertNoQueryButRandom(query);
        const shared = entries.findShared(key);
        // Without a promise where the store allows it: awaiting some would take a tenth of the time of a request.
        if (shared !== undefined) return answerEntry(shared, headers);
        return entries.get(key).then(entry => {
          if (entry === undefined) throw new AppError({code: 'no-entry', key});
          return answerEntry({info: entry, value: entry.json}, headers);
        });
      },
      POST: namingTag(write('POST')),
      PUT: namingTag(write('PUT')),
      PATCH: namingTag(async ({request, caller, key, query}) => {
        assertNoQuery(query);
        const expected = readExpectation(request.headers);
        const patch = await readJsonBody(request, limits.valueBytesMax, 'value');
        const {revision, etag} = await entries.patch(key, patch, {expected, writtenBy: caller.principal});
        return answer(document(revision), {rawHeaders: ['ETag', etag]});
      }),
      DELETE: namingTag(async ({request, caller, key, query}) => {
        assertNoQuery(query);
        const expected = readDeleteExpectation(request.headers);
        const {deleted, revision} = await entries.delete(key, {expected, writtenBy: caller.principal});
        if (deleted === 0) throw new AppError({code: 'no-entry', key, revision: String(revision)});
        return answer(document(revision));
      }),
    },
  ];
}

/** Reads the precondition of a deletion. @throws {AppError} `invalid-header`. */
function readDeleteExpectation(headers: RequestHeaders): DeleteOptions['expected'] {
  const expected = readExpectation(headers);
  const problem = 'a deletion accepts only If-Match';
  if (expected === 'absent') throw refusedHeader('If-None-Match', problem);
  return expected;
}

/** Returns a handler whose failures have the ETag that was sent, if no entry of any store can have it. */
function namingTag(handler: RouteHandler): RouteHandler {
  return call => (call.request.headers['if-match'].length === 0 ? handler(call) : nameTag(handler, call));
}

async function nameTag(handler: RouteHandler, call: Call): Promise<HttpAnswer> {
  try {
    return await handler(call);
  } catch (error) {
    const sent = call.request.headers['if-match'].join(', ').slice(0, 100);
    const isTag = isFailure(error, 'revision-conflict') && error.failure.conflicts[0]?.expected === '0';
    if (!isTag || EXPECTS_NOTHING.test(sent)) throw error;
    throw new AppError({...error.failure, sent}, {cause: error});
  }
}

/** Matches the tag that `crewroom/client` sends if its caller expects no revision at all: the failure need not name it. */
const EXPECTS_NOTHING = /^"(?:[0-9a-z]+-)?0"$/;

/** Returns a function that answers with an entry, unless the client has read it already. */
function answersWithEntries(store: EntryRoutesDeps['store']) {
  // Entries that are read again and again were often written on one day.
  const formatTime = createTimeFormat();
  return ({info, value}: SharedEntry, headers: RequestHeaders): HttpAnswer => {
    const tag = formatEntityTag({storeId: store.id, revision: info.revision});
    const rawHeaders = formatEntryHeaders(info, tag, formatTime);
    return isAlreadyRead(headers, tag) ? emptyAnswer(304, rawHeaders) : answer(value, {rawHeaders});
  };
}

/** Reads `ttlSeconds`, the only parameter of a write, by hand: a write should not wait for a schema to load. */
function readTtl(query: string): TtlSeconds | undefined {
  if (query === '') return undefined;
  const {ttlSeconds: given, ...others} = parseQuery(query);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalidParameter(unknown, describeUnknown(unknown, ['ttlSeconds']));
  const ttlSeconds = given !== undefined && DECIMAL.test(given) ? Number(given) : Number.NaN;
  assertTtl(ttlSeconds);
  return ttlSeconds;
}

/** A whole number without sign, fraction or exponent. */
const DECIMAL = /^[1-9][0-9]{0,15}$/;
