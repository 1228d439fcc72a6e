import {describe, expect, test} from 'vitest';
import type {Event} from '../../domain/commits/event.ts';
import {createStoreId, parseKey} from '../../domain/entries/identifiers.ts';
import {concatBytes} from '../text/line-splitter.ts';
import {formatEvent} from './event.ts';
import {formatBatch, type SseBlock, SseParser, STREAM_START} from './server-sent-events.ts';

const STREAMS: readonly {
  readonly name: string;
  readonly text: string;
  readonly blocks: readonly Readonly<Record<string, string>>[];
}[] = [
  {name: 'an event', text: 'event: a\ndata: {}\nid: 1\n\n', blocks: [{data: '{}', id: '1'}]},
  {name: 'one space after the colon', text: 'data:  a\nid:b \n\n', blocks: [{data: ' a', id: 'b '}]},
  {name: 'a field without a colon', text: 'data\nid: 1\n\n', blocks: [{id: '1'}]},
  {name: 'a comment', text: ': heartbeat\n\n', blocks: [{}]},
  {name: 'a comment with a cursor', text: ':\nid: 7\n\n', blocks: [{id: '7'}]},
  {name: 'its beginning', text: STREAM_START, blocks: [{}]},
  {name: 'unknown fields', text: 'what: ever\nData: 1\n data: 2\ndata: 3\n\n', blocks: [{data: '3'}]},
  {name: 'a byte order mark', text: '\ufeffdata: 1\n\n', blocks: [{data: '1'}]},
  {name: 'a byte order mark within', text: 'data: \ufeff\n\n', blocks: [{data: '\ufeff'}]},
  {name: 'characters of every length', text: 'data: aé€\u{1f6eb}\n\n', blocks: [{data: 'aé€\u{1f6eb}'}]},
  {name: 'colons and quotes in data', text: 'data: {"a":"b: c"}\n\n', blocks: [{data: '{"a":"b: c"}'}]},
  {
    name: 'line separators that are none here',
    text: 'data: a\u2028id: 1\u2029b\u0085c\rd\n\n',
    blocks: [{data: 'a\u2028id: 1\u2029b\u0085c\rd'}],
  },
  {name: 'a block that is cut off', text: 'data: 1\n\ndata: 2\nid: 2\n', blocks: [{data: '1'}]},
];

const fieldsOf = (block: SseBlock): Readonly<Record<string, string>> => Object.fromEntries(block);

describe('SseParser', () => {
  for (const {name, text, blocks} of STREAMS) {
    const bytes = new TextEncoder().encode(text);

    test(`reads ${name}`, () => {
      expect(new SseParser().push(bytes).map(fieldsOf)).toEqual(blocks);
    });

    test(`reads ${name}, wherever it is cut`, () => {
      for (let cut = 0; cut <= bytes.length; cut++) {
        const parser = new SseParser();
        const read = [...parser.push(bytes.subarray(0, cut)), ...parser.push(bytes.subarray(cut))];
        expect(read.map(fieldsOf)).toEqual(blocks);
      }
    });

    test(`reads ${name}, byte by byte`, () => {
      const parser = new SseParser();
      const read = Array.from(bytes, byte => parser.push(Uint8Array.of(byte))).flat();
      expect(read.map(fieldsOf)).toEqual(blocks);
    });
  }

  test('reads what formatBatch() writes', () => {
    const storeId = createStoreId(Uint8Array.of(7));
    const events = [
      {kind: 'entry-deleted', key: parseKey('data: 1'), revision: 8, etag: '"07-8"', cursor: '07-7'},
      {kind: 'entry-deleted', key: parseKey('id: 9'), revision: 8, etag: '"07-8"', cursor: '07-8'},
    ] as const;
    const format = (event: Event): Uint8Array => formatEvent(event, storeId);
    const sent = [
      {events: [], cursor: 7},
      {events: [], cursor: undefined},
      {events, cursor: 8},
    ].map(batch => formatBatch(batch, {storeId, format}));
    const [first, second] = events.map(event => new TextDecoder().decode(format(event)));
    expect(new SseParser().push(concatBytes(sent)).map(fieldsOf)).toEqual([
      {id: '07-7'},
      {},
      {data: first},
      {data: second, id: '07-8'},
    ]);
  });
});
