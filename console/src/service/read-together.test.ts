import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {readTogether} from './read-together.ts';

beforeEach(() => void vi.useFakeTimers({toFake: ['setTimeout']}));
afterEach(() => void vi.useRealTimers());

const SMALL = new Uint8Array(100);
const LARGE = new Uint8Array(20_000);

/** An answer whose body has some parts, and then its end, of which each is counted when it is asked for. */
function answerWith(parts: readonly Uint8Array[], type = 'text/event-stream; charset=utf-8') {
  const waiting = [...parts];
  const seen = {asked: 0, cancelled: ''};
  const pull = (stream: ReadableStreamDefaultController<Uint8Array>): void => {
    seen.asked++;
    const part = waiting.shift();
    if (part === undefined) stream.close();
    else stream.enqueue(part);
  };
  const cancel = (reason: unknown): void => {
    seen.cancelled = String(reason);
  };
  const body = new ReadableStream({pull, cancel}, {highWaterMark: 0});
  return {seen, answer: new Response(body, {status: 201, headers: {'Content-Type': type}})};
}

test('a stream of events rests after each small part, and goes on at once after a large one', async () => {
  const {seen, answer} = answerWith([SMALL, LARGE, SMALL]);
  const together = readTogether(answer);
  expect([together.status, together.headers.get('Content-Type')]).toEqual([201, 'text/event-stream; charset=utf-8']);
  const reader = together.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  expect((await reader.read()).value).toBe(SMALL);
  const second = reader.read();
  await vi.advanceTimersByTimeAsync(199);
  expect(seen.asked).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect((await second).value).toBe(LARGE);
  expect((await reader.read()).value).toBe(SMALL);
  const end = reader.read();
  await vi.advanceTimersByTimeAsync(200);
  expect(await end).toEqual({done: true, value: undefined});
});

test('a stream of events that is given up is given up by its reader, also during a rest', async () => {
  const {seen, answer} = answerWith([SMALL, SMALL]);
  const reader = readTogether(answer).body?.getReader();
  await reader?.read();
  void reader?.read();
  await reader?.cancel('left');
  expect(seen.cancelled).toBe('left');
});

test('other answers are left as they are', () => {
  const {answer} = answerWith([SMALL], 'application/json');
  expect(readTogether(answer)).toBe(answer);
});
