import type {Entries} from '../../domain/entries.ts';
import {AppError} from '../../domain/failure.ts';
import {parseKey} from '../../domain/key.ts';
import {readJsonBody, readMergePatchBody} from '../body.ts';
import {answer, emptyAnswer, type HttpAnswer} from '../message.ts';
import {formatEntityTag, isAlreadyRead, readExpectation} from '../preconditions.ts';
import {type Call, decodeSegment, type Route} from '../route.ts';
import {refuseQuery} from './no-query.ts';

/** What the routes of one entry need. */
export interface StoreRoutesDeps {
  readonly entries: Entries;
  /** Largest body of a write, in bytes. */
  readonly valueBytesMax: number;
}

/** `/api/store/{key}`: one entry. */
export function storeRoutes({entries, valueBytesMax}: StoreRoutesDeps): readonly Route[] {
  const write = async (call: Call, createdStatus: number): Promise<HttpAnswer> => {
    const {key, rawHeaders} = readCall(call);
    // Before the body is asked for: nobody should send one that has nowhere to go.
    parseKey(key);
    const expected = readExpectation(rawHeaders);
    const json = await readJsonBody(call.request, valueBytesMax);
    const {revision, created} = await entries.put(key, json, {expected});
    return answer('{}', {status: created ? createdStatus : 200, rawHeaders: ['ETag', formatEntityTag(revision)]});
  };
  return [
    {
      path: '/api/store/{key}',
      operations: {
        GET: async call => {
          const {key, rawHeaders} = readCall(call);
          const entry = await entries.get(key);
          if (entry === undefined) throw new AppError({code: 'no-entry', key});
          const {revision, updatedAtMs, json} = entry;
          const headers = ['ETag', formatEntityTag(revision), 'Updated-At', new Date(updatedAtMs).toISOString()];
          return isAlreadyRead(rawHeaders, revision) ? emptyAnswer(304, headers) : answer(json, {rawHeaders: headers});
        },
        // The specification answers 200 whether the entry was there or not; PUT is for who wants to know.
        POST: call => write(call, 200),
        PUT: call => write(call, 201),
        PATCH: async call => {
          const {key, rawHeaders} = readCall(call);
          parseKey(key);
          const expected = readExpectation(rawHeaders);
          const patch = await readMergePatchBody(call.request, valueBytesMax);
          const {revision} = await entries.patch(key, patch, {expected});
          return answer('{}', {rawHeaders: ['ETag', formatEntityTag(revision)]});
        },
        DELETE: async call => {
          const {key, rawHeaders} = readCall(call);
          const expected = readExpectation(rawHeaders);
          if (expected === 'absent')
            throw new AppError({
              code: 'invalid-header',
              header: 'If-None-Match',
              problem: 'a deletion takes only If-Match',
            });
          await entries.delete(key, {expected});
          return answer('{}');
        },
      },
    },
  ];
}

function readCall({request: {rawHeaders}, segment, query}: Call): {key: string; rawHeaders: readonly string[]} {
  refuseQuery(query);
  return {key: decodeSegment(segment), rawHeaders};
}
