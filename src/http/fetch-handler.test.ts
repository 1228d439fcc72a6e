import {describe, expect, test} from 'vitest';
import {headerValues} from '../core/protocol/headers/raw-headers.ts';
import {answer, emptyAnswer, type HttpHandler, type HttpRequest, jsonAnswer} from './core/message.ts';
import {createFetchHandler} from './fetch-handler.ts';

/** Returns the request that a handler gets for a `Request`. */
async function seenBy(request: Request): Promise<HttpRequest> {
  let seen: HttpRequest | undefined;
  await createFetchHandler(async given => {
    seen = given;
    return emptyAnswer(204);
  })(request);
  if (seen === undefined) throw new Error('The handler was not called');
  return seen;
}

/** Answers with the body that it was sent, or with the failure. */
const echo: HttpHandler = async request => {
  try {
    return answer(await request.readBody(10));
  } catch (error) {
    return jsonAnswer((error as {failure: unknown}).failure, {status: 400});
  }
};

describe('createFetchHandler()', () => {
  test('passes method, target and headers', async () => {
    const request = new Request('http://localhost:7172/api/store/a%2Fb?x=%20#fragment', {
      method: 'PUT',
      headers: {'If-Match': '"1"', Origin: 'https://va.example'},
    });
    const seen = await seenBy(request);
    expect([seen.method, seen.target]).toEqual(['PUT', '/api/store/a%2Fb?x=%20']);
    expect(headerValues(seen.rawHeaders, 'host')).toEqual(['localhost:7172']);
    expect(headerValues(seen.rawHeaders, 'if-match')).toEqual(['"1"']);
    expect(headerValues(seen.rawHeaders, 'origin')).toEqual(['https://va.example']);
  });

  test('uses the Host header of the request if there is one', async () => {
    const seen = await seenBy(new Request('http://localhost:7172/', {headers: {Host: 'evil.example'}}));
    expect(headerValues(seen.rawHeaders, 'host')).toEqual(['evil.example']);
  });

  test('converts the answer to a response', async () => {
    const fetch = createFetchHandler(async () => jsonAnswer('é', {status: 201, rawHeaders: ['ETag', '"1"']}));
    const response = await fetch(new Request('http://localhost:7172/'));
    expect([response.status, response.headers.get('ETag'), response.headers.get('Content-Type')]).toEqual([
      201,
      '"1"',
      'application/json; charset=utf-8',
    ]);
    expect(await response.text()).toBe('"é"');
  });

  for (const status of [204, 304]) {
    test(`${status} has no body`, async () => {
      const response = await createFetchHandler(async () => emptyAnswer(status))(new Request('http://localhost/'));
      expect([response.status, response.body]).toEqual([status, null]);
    });
  }

  test('neither has HEAD', async () => {
    const fetch = createFetchHandler(async () => jsonAnswer('text'));
    const response = await fetch(new Request('http://localhost/', {method: 'HEAD'}));
    expect([response.headers.get('Content-Length'), response.body]).toEqual(['6', null]);
  });

  const stream = (...chunks: readonly string[]): ReadableStream<Uint8Array> =>
    new Response(new Blob([...chunks])).body ?? new ReadableStream();
  const send = (body: string | Uint8Array<ArrayBuffer> | ReadableStream | null): Promise<Response> =>
    createFetchHandler(echo)(new Request('http://localhost/', {method: 'PUT', body, duplex: 'half'} as RequestInit));

  test('reads a body, whatever its form', async () => {
    for (const body of ['{"a":1}', new TextEncoder().encode('{"a":1}'), stream('{"a"', ':1}')])
      expect(await (await send(body)).text()).toBe('{"a":1}');
    expect(await (await send(null)).text()).toBe('');
  });

  test('stops reading at the limit, and cancels the source', async () => {
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: controller => controller.enqueue(new Uint8Array(4)),
      cancel: () => {
        cancelled = true;
      },
    });
    expect(await (await send(endless)).json()).toEqual({code: 'too-large', what: 'body', max: 10});
    expect(cancelled).toBe(true);
  });

  test('refuses a body that ends early or was read before', async () => {
    const broken = new ReadableStream({pull: controller => controller.error(new Error('gone'))});
    expect(await (await send(broken)).json()).toMatchObject({code: 'malformed-request'});
    const used = new Request('http://localhost/', {method: 'PUT', body: '1'});
    await used.text();
    expect(await (await createFetchHandler(echo)(used)).json()).toMatchObject({code: 'malformed-request'});
  });
});
