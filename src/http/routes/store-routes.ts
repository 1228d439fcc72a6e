import {assertTtl, type TtlSeconds} from '../../domain/commits/time-to-live.ts';
import type {Committed} from '../../domain/entries/entries.ts';
import type {SharedEntry} from '../../domain/entries/entry.ts';
import {AppError} from '../../failures/app-error.ts';
import {formatEntryHeaders} from '../../protocol/headers/entry-headers.ts';
import {formatEntityTag, isAlreadyRead, readExpectation} from '../../protocol/headers/preconditions.ts';
import type {RequestHeaders} from '../../protocol/headers/request-headers.ts';
import {createTimeFormat} from '../../protocol/text/format-time.ts';
import {readJsonBody, readMergePatchBody} from '../core/body.ts';
import {answer, emptyAnswer, type HttpAnswer} from '../core/message.ts';
import {invalidParameter, parseQuery, type Route, type RouteHandler} from '../core/route.ts';
import {assertNoQuery, assertNoQueryButRandom} from './no-query.ts';
import type {EntryRoutesDeps} from './routes-deps.ts';

/** `/api/store/{key}`: one entry. */
export function storeRoutes({entries, store, limits}: EntryRoutesDeps): readonly Route[] {
  const committed = ({revision}: Committed, status = 200): HttpAnswer =>
    answer('{}', {status, rawHeaders: ['ETag', formatEntityTag({storeId: store.id, revision})]});
  const answerEntry = answersWithEntries(store);
  const write =
    (createdStatus: number): RouteHandler =>
    async ({request, caller, key, query}) => {
      const ttlSeconds = readTtl(query);
      // Before the body is read: a client that waits for "100 Continue" need not send it.
      const expected = readExpectation(request.headers);
      const body = readJsonBody(request, limits.valueBytesMax);
      const json = body instanceof Promise ? await body : body;
      const written = await entries.put(key, json, {expected, ttlSeconds, writtenBy: caller.principal});
      return committed(written, written.created ? createdStatus : 200);
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
      // The specification demands 200 whether or not the entry existed; PUT tells the two apart.
      POST: write(200),
      PUT: write(201),
      PATCH: async ({request, caller, key, query}) => {
        assertNoQuery(query);
        const expected = readExpectation(request.headers);
        const patch = await readMergePatchBody(request, limits.valueBytesMax);
        return committed(await entries.patch(key, patch, {expected, writtenBy: caller.principal}));
      },
      DELETE: async ({request, caller, key, query}) => {
        assertNoQuery(query);
        const expected = readExpectation(request.headers);
        const problem = 'a deletion accepts only If-Match';
        if (expected === 'absent') throw new AppError({code: 'invalid-header', header: 'If-None-Match', problem});
        await entries.delete(key, {expected, writtenBy: caller.principal});
        return answer('{}');
      },
    },
  ];
}

/** Returns a function that answers with an entry, unless the client has read it already. */
function answersWithEntries(store: EntryRoutesDeps['store']) {
  // Entries that are read again and again were often written on one day.
  const formatTime = createTimeFormat();
  return ({info, value}: SharedEntry, headers: RequestHeaders): HttpAnswer => {
    const rawHeaders = formatEntryHeaders(info, store.id, formatTime);
    return isAlreadyRead(headers, {storeId: store.id, revision: info.revision})
      ? emptyAnswer(304, rawHeaders)
      : answer(value, {rawHeaders});
  };
}

/** Reads `ttl`, the only parameter of a write, by hand: a write should not wait for a schema to load. */
function readTtl(query: string): TtlSeconds | undefined {
  if (query === '') return undefined;
  const {ttl, ...others} = parseQuery(query);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw invalidParameter(unknown, 'the operation has no such parameter');
  const ttlSeconds = ttl !== undefined && DECIMAL.test(ttl) ? Number(ttl) : Number.NaN;
  assertTtl(ttlSeconds);
  return ttlSeconds;
}

/** A whole number without sign, fraction or exponent. */
const DECIMAL = /^[1-9][0-9]{0,15}$/;
