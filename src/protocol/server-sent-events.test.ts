import {describe, expect, test} from 'vitest';
import {type SseBlock, SseParser} from './server-sent-events.ts';

const block = (parts: Partial<SseBlock>): SseBlock => ({data: undefined, id: undefined, retryMs: undefined, ...parts});

const STREAMS: readonly {readonly name: string; readonly text: string; readonly blocks: readonly SseBlock[]}[] = [
  {name: 'an event', text: 'event: a\ndata: {}\nid: 1\n\n', blocks: [block({data: '{}', id: '1'})]},
  {
    name: 'lines that end with CR, LF, and both',
    text: 'data: 1\r\rdata: 2\n\ndata: 3\r\n\r\ndata: 4\r\n\n',
    blocks: ['1', '2', '3', '4'].map(data => block({data})),
  },
  {name: 'data of several lines', text: 'data: a\ndata:\ndata: b\n\n', blocks: [block({data: 'a\n\nb'})]},
  {name: 'one space after the colon', text: 'data:  a\ndata:b \n\n', blocks: [block({data: ' a\nb '})]},
  {name: 'a field without a colon', text: 'data\nid\n\n', blocks: [block({data: '', id: ''})]},
  {name: 'a comment', text: ': heartbeat\n\n', blocks: [block({})]},
  {name: 'a comment with a cursor', text: ':\nid: 7\n\n', blocks: [block({id: '7'})]},
  {name: 'an id that is none', text: 'id: a\0b\ndata: 1\n\n', blocks: [block({data: '1'})]},
  {name: 'how long to wait', text: 'retry: 1000\n\nretry: 1s\n\n', blocks: [block({retryMs: 1000}), block({})]},
  {name: 'unknown fields', text: 'what: ever\nData: 1\n data: 2\ndata: 3\n\n', blocks: [block({data: '3'})]},
  {name: 'a byte order mark', text: '\ufeffdata: 1\n\n', blocks: [block({data: '1'})]},
  {name: 'a byte order mark within', text: 'data: \ufeff\n\n', blocks: [block({data: '\ufeff'})]},
  {name: 'characters of every length', text: 'data: aé€\u{1f6eb}\n\n', blocks: [block({data: 'aé€\u{1f6eb}'})]},
  {name: 'colons and quotes in data', text: 'data: {"a":"b: c"}\n\n', blocks: [block({data: '{"a":"b: c"}'})]},
  {
    name: 'line separators that are none here',
    text: 'data: a\u2028b\u0085c\n\n',
    blocks: [block({data: 'a\u2028b\u0085c'})],
  },
  {name: 'a block that is cut off', text: 'data: 1\n\ndata: 2\nid: 2\n', blocks: [block({data: '1'})]},
];

describe('SseParser', () => {
  for (const {name, text, blocks} of STREAMS) {
    const bytes = new TextEncoder().encode(text);

    test(`reads ${name}`, () => {
      expect(new SseParser().push(bytes)).toEqual(blocks);
    });

    test(`reads ${name}, wherever it is cut`, () => {
      for (let cut = 0; cut <= bytes.length; cut++) {
        const parser = new SseParser();
        expect([...parser.push(bytes.subarray(0, cut)), ...parser.push(bytes.subarray(cut))]).toEqual(blocks);
      }
    });

    test(`reads ${name}, byte by byte`, () => {
      const parser = new SseParser();
      expect(Array.from(bytes, byte => parser.push(Uint8Array.of(byte))).flat()).toEqual(blocks);
    });
  }
});
