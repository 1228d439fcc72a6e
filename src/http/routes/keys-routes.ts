import {setImmediate} from 'node:timers/promises';
import type {Entries, Page} from '../../domain/entries.ts';
import type {Entry, EntryInfo} from '../../domain/entry.ts';
import {DEFAULT_LIMITS} from '../../domain/limits.ts';
import type {StoreId} from '../../domain/store-id.ts';
import {formatTime} from '../../protocol/format-time.ts';
import {answer, type HttpAnswer, jsonAnswer} from '../core/message.ts';
import type {Route} from '../core/route.ts';

/** What the route of many entries needs. */
export interface KeysRoutesDeps {
  readonly entries: Pick<Entries, 'list' | 'deleteRange'>;
  readonly storeId: StoreId;
}

/** `/api/keys`: many entries. */
export function keysRoutes({entries, storeId}: KeysRoutesDeps): readonly Route[] {
  const takeTurn = createTurns();
  return [
    {
      path: '/api/keys',
      operations: {
        GET: async ({request, query}) => {
          const {LIST_QUERY, readParameters} = await import('../openapi/schemas.ts');
          const options = readParameters(query, LIST_QUERY);
          const make = async (): Promise<HttpAnswer> => answer(serialisePage(await entries.list(options), storeId));
          if (!options.values) return make();
          return takeTurn(() => {
            request.makeRoom(DEFAULT_LIMITS.listValuesBytesMax);
            return make();
          });
        },
        DELETE: async ({query}) => {
          const {DELETE_RANGE_QUERY, readParameters} = await import('../openapi/schemas.ts');
          const {prefix} = readParameters(query, DELETE_RANGE_QUERY);
          return jsonAnswer({deleted: await entries.deleteRange({prefix})});
        },
      },
    },
  ];
}

/**
 * Makes what runs actions one after the other: pages with values are made in turn, so that each counts in memory before
 * the next asks for room. Most are far smaller than the room for the largest, and few would have it at once.
 */
function createTurns(): <T>(action: () => Promise<T>) => Promise<T> {
  let last: Promise<void> = Promise.resolve();
  return action => {
    const done = last.then(action);
    // In a turn of the event loop of its own: meanwhile nobody takes an answer, and nothing of those that made room is free.
    const pause = (): Promise<void> => setImmediate();
    last = done.then(pause, pause);
    return done;
  };
}

/** Writes a page with the values as they are stored: parsing them would lose what JavaScript cannot hold. */
function serialisePage({entries, next}: Page<EntryInfo | Entry>, storeId: StoreId): Buffer {
  const parts: Uint8Array[] = [];
  const push = (text: string): void => {
    parts.push(Buffer.from(text));
  };
  push(`{"storeId":"${storeId}","entries":[`);
  for (const [index, entry] of entries.entries()) {
    push(`${index === 0 ? '' : ','}${serialiseInfo(entry)}`);
    if ('json' in entry) {
      push(',"value":');
      parts.push(entry.json);
    }
    push('}');
  }
  push(next === undefined ? ']}' : `],"next":${JSON.stringify(next)}}`);
  return Buffer.concat(parts);
}

/** The members of an entry, without the closing brace. */
function serialiseInfo({key, revision, sizeBytes, updatedAtMs, expiresAtMs}: EntryInfo): string {
  const updatedAt = formatTime(updatedAtMs);
  const expiry = expiresAtMs === undefined ? '' : `,"expiresAt":"${formatTime(expiresAtMs)}"`;
  return `{"key":${JSON.stringify(key)},"revision":"${revision}","sizeBytes":${sizeBytes},"updatedAt":"${updatedAt}"${expiry}`;
}
