import type {Entries, Page} from '../../domain/entries.ts';
import type {Entry, EntryInfo} from '../../domain/entry.ts';
import type {StoreId} from '../../domain/store-id.ts';
import {formatTime} from '../../protocol/format-time.ts';
import {answer, jsonAnswer} from '../core/message.ts';
import type {Route} from '../core/route.ts';

/** What the route of many entries needs. */
export interface KeysRoutesDeps {
  readonly entries: Entries;
  readonly storeId: StoreId;
}

/** `/api/keys`: many entries. */
export function keysRoutes({entries, storeId}: KeysRoutesDeps): readonly Route[] {
  return [
    {
      path: '/api/keys',
      operations: {
        GET: async ({query}) => {
          const {LIST_QUERY, readParameters} = await import('../openapi/schemas.ts');
          const page = await entries.list(readParameters(query, LIST_QUERY));
          return answer(serialisePage(page, storeId));
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
