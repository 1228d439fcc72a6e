import type {HistoryChange, HistoryPage} from '../domain/entries/history.ts';
import type {Key, StoreId} from '../domain/entries/identifiers.ts';
import {formsOf} from '../json/json-text.ts';
import {ByteWriter} from './text/byte-writer.ts';
import {EACH, readExactTexts} from './text/json-reader.ts';
import {parseDocument} from './text/read-document.ts';
import {readTimes, type WithTimes, writeTimes} from './text/times.ts';

/** A page of the history of an entry as it travels, with the store that its revisions belong to. */
export interface SentHistory<T = unknown> {
  readonly storeId: StoreId;
  readonly page: HistoryPage<T>;
}

/** Writes a page, with the exact bytes of the values. */
export function formatHistoryPage({storeId, page: {changes, cursor}}: SentHistory, key: Key): Uint8Array {
  const writer = new ByteWriter().text(`{"storeId":"${storeId}","key":${JSON.stringify(key)},"changes":[`);
  for (const [index, change] of changes.entries())
    writer.text(index === 0 ? '' : ',').bytes(formatHistoryChange(change));
  return writer.text(`]${cursor === undefined ? '' : `,"cursor":"${cursor}"`}}`).end();
}

/** Writes one change of a page. */
export function formatHistoryChange(change: HistoryChange): Uint8Array {
  const {json, text: _, value: __, ...rest} = {json: undefined, text: undefined, value: undefined, ...change};
  const writer = new ByteWriter().text(
    JSON.stringify(writeTimes({...rest, revision: String(rest.revision)})).slice(0, -1),
  );
  if (json !== undefined) writer.text(',"value":').bytes(json);
  return writer.text('}').end();
}

/** Reads a page. */
export function readHistoryPage<T>(json: string): SentHistory<T> {
  const {storeId, changes: sent, cursor} = parseDocument<SentPage>(json);
  const texts = readExactTexts(json, ['changes', EACH, 'value']).values();
  const changes = sent.map(({value, ...change}) => {
    const forms = value === undefined ? undefined : formsOf(texts.next().value, value);
    return {...readTimes<HistoryValue>(change), revision: Number(change.revision), ...forms} as HistoryChange<T>;
  });
  return {storeId, page: cursor === undefined ? {changes} : {changes, cursor}};
}

/** A change with a value. */
type HistoryValue = Extract<HistoryChange, {kind: 'written'}>;

/** Answer of `GET /api/history`. */
interface SentPage {
  readonly storeId: StoreId;
  // Of all kinds.
  readonly changes: readonly WithTimes<Omit<HistoryValue, 'json' | 'text'>>[];
  readonly cursor?: string;
}
