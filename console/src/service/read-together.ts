/** Time between two parts of a stream, in milliseconds. To take a part costs a page as much as 20 events in it. */
const REST_MS = 200;

/** Size from which parts follow each other at once, in bytes: the stream brings more than is read in a rest. */
const LARGE_BYTES = 16_384;

/** Returns an answer whose events, if it is a stream of them, arrive a few times a second: together, where they are many. The first of them arrives at once. */
export function readTogether(answer: Response): Response {
  if (answer.body === null || answer.headers.get('Content-Type')?.startsWith('text/event-stream') !== true)
    return answer;
  const reader = answer.body.getReader();
  let rest: Promise<void> | undefined;
  const together = new ReadableStream<Uint8Array>(
    {
      async pull(parts) {
        await rest;
        const {value} = await reader.read();
        if (value === undefined) return parts.close();
        parts.enqueue(value);
        rest = value.length < LARGE_BYTES ? new Promise(resolve => setTimeout(resolve, REST_MS)) : undefined;
      },
      cancel: reason => reader.cancel(reason),
    },
    {highWaterMark: 0},
  );
  return new Response(together, answer);
}
