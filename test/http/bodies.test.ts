import {gzipSync} from 'node:zlib';
import {describe, expect, test} from 'vitest';

import {cpuTimeOf} from '../support/cpu-time.ts';
import {exchange, formatRequest, type RawAnswer, type RawClient} from '../support/raw-client.ts';
import {connectInTest, startInTest, type TestService, useService} from '../support/service.ts';

const MIB = 1024 * 1024;

const service = useService();

function host({port}: TestService = service()): string {
  return `Host: localhost:${port}`;
}

function put(body: string | Uint8Array, headers: readonly string[] = [], on = service()): Promise<RawAnswer> {
  return exchange({port: on.port}, formatRequest('PUT /api/store/k', [host(on), ...headers], body));
}

/** A chunked body (RFC 9112 section 7.1). */
function chunked(...chunks: readonly string[]): string {
  return `${chunks.map(chunk => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`;
}

function connect(): Promise<RawClient> {
  return connectInTest(service());
}

describe('nesting has a limit (B5)', () => {
  const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

  for (const [name, make] of [
    ['arrays', nested],
    ['objects', objects],
  ] as const) {
    test(`256 levels of ${name} are stored and returned`, async () => {
      expect([200, 201]).toContain((await put(make(256))).status);
      const answer = await exchange({port: service().port}, formatRequest('GET /api/store/k', [host()]));
      expect(answer.body.toString()).toBe(make(256));
    });

    test(`257 levels of ${name} are refused with the position`, async () => {
      const answer = await put(make(257));
      expect(answer.status).toBe(422);
      const position = name === 'arrays' ? 256 : 256 * '{"a":'.length;
      expect(answer.json).toMatchObject({code: 'value-too-deep', depthMax: 256, position});
    });
  }

  const LIMITS = [
    {name: 'by its size', options: {}, status: 413},
    {name: 'by its depth, if the limit of size is 16 MiB', options: {valueBytesMax: 16 * MIB}, status: 422},
  ];
  for (const {name, options, status} of LIMITS) {
    test(`10 MB of "[" are refused ${name}, for less than a valid value of that size costs`, async () => {
      const own = await startInTest(options);
      const large = await startInTest({valueBytesMax: 16 * MIB, ephemeral: true});
      const brackets = Buffer.alloc(10_000_000, '[');
      const valid = Buffer.from(`[${'0,'.repeat(4_999_998)}0]`);
      const compare = async (): Promise<number> => {
        const refusalMs = await cpuTimeOf(async () => expect((await put(brackets, [], own)).status).toBe(status));
        return (
          refusalMs / (await cpuTimeOf(async () => expect((await put(valid, [], large)).status).toBeLessThan(300)))
        );
      };
      await expect.poll(compare).toBeLessThan(0.5);
    });
  }
});

describe('bodies have a limit (B6)', () => {
  const exact = `"${'x'.repeat(MIB - 2)}"`;

  test('a value of exactly 1 MiB is stored', async () => {
    expect([200, 201]).toContain((await put(exact)).status);
  });

  test('one byte more is refused before the body is read', async () => {
    const client = await connect();
    await client.send(`PUT /api/store/k HTTP/1.1\r\n${host()}\r\nContent-Length: ${MIB + 1}\r\n\r\n`);
    const answer = await client.readAnswer();
    expect(answer.status).toBe(413);
    expect(answer.json).toMatchObject({code: 'too-large', what: 'value', max: MIB});
    expect(answer.headers.get('connection')).toBe('close');
    await client.readEnd();
  });

  test('the refusal arrives even if the client keeps sending', async () => {
    expect((await put(Buffer.alloc(20 * MIB, 'x'))).status).toBe(413);
  });

  test('a chunked body is refused as soon as it is too large, long before it ends', async () => {
    const client = await connect();
    await client.send(`PUT /api/store/k HTTP/1.1\r\n${host()}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    await client.send(`${(MIB + 1).toString(16)}\r\n${'x'.repeat(MIB + 1)}`);
    expect((await client.readAnswer()).status).toBe(413);
    await client.readEnd();
  });

  test('an impossible length is refused', async () => {
    for (const length of ['99999999999999999999', '-1', '0x10', '1e3', '5, 5', '5 5']) {
      const request = `PUT /api/store/k HTTP/1.1\r\n${host()}\r\nContent-Length: ${length}\r\n\r\n12345`;
      expect([400, 413], length).toContain((await exchange({port: service().port}, request)).status);
    }
  });

  test('a chunked body is stored, whatever its chunks', async () => {
    const client = await connect();
    const head = `PUT /api/store/k HTTP/1.1\r\n${host()}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    for (const body of [
      chunked('{"a"', ':', '1}'),
      chunked(...'[1,"€"]'),
      '3;ext=1\r\n"a"\r\n0\r\nTrailer: x\r\n\r\n',
    ]) {
      await client.send(head + body);
      expect((await client.readAnswer()).status).toBe(200);
    }
    expect(Buffer.from((await service().crewroom.entries.get('k'))?.json ?? []).toString()).toBe('"a"');
  });

  test('a large body in chunks of many sizes is returned unchanged', async () => {
    const client = await connect();
    const text = JSON.stringify(Array.from({length: 100_000}, (_, index) => index));
    await client.send(`PUT /api/store/k HTTP/1.1\r\n${host()}\r\nContent-Length: ${text.length}\r\n\r\n`);
    for (let from = 0, size = 1; from < text.length; from += size, size *= 3)
      await client.send(text.slice(from, from + size));
    expect((await client.readAnswer()).status).toBe(200);
    expect(Buffer.from((await service().crewroom.entries.get('k'))?.json ?? []).toString()).toBe(text);
  });

  test('an empty chunked body is not a value', async () => {
    const request = `PUT /api/store/k HTTP/1.1\r\n${host()}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
    expect((await exchange({port: service().port}, request)).json).toMatchObject({code: 'invalid-json'});
  });

  const encoded = [
    ['gzip', gzipSync('1')],
    ['br', '1'],
    ['GZIP', '1'],
    ['identity, gzip', '1'],
    ['', '1'],
  ] as const;
  for (const [encoding, body] of encoded) {
    test(`a body with the encoding ${JSON.stringify(encoding)} is refused`, async () => {
      const answer = await put(body, [`Content-Encoding: ${encoding}`]);
      expect(answer.status).toBe(415);
      expect(answer.json).toMatchObject({code: 'unsupported-body'});
    });
  }

  test('a multipart body is refused too; "identity" is not an encoding', async () => {
    expect((await put('1', ['Content-Type: Multipart/Form-Data; boundary=x'])).status).toBe(415);
    expect((await put('1', ['Content-Encoding: identity'])).status).toBe(200);
  });
});

describe('a client that expects 100 Continue (B6)', () => {
  const ask = (length: number, path = '/api/store/k'): string =>
    `PUT ${path} HTTP/1.1\r\n${host()}\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;

  test('gets 100 Continue, and then the answer', async () => {
    const client = await connect();
    await client.send(ask(3));
    expect((await client.readAnswer()).status).toBe(100);
    await client.send('123');
    expect((await client.readAnswer()).status).toBe(200);
    await client.send(formatRequest('GET /api/store/k', [host()]));
    expect((await client.readAnswer()).body.toString()).toBe('123');
  });

  test('is refused without 100 Continue', async () => {
    for (const [request, status] of [
      [ask(2 * MIB), 413],
      [ask(3, '/api/store/%00'), 400],
      [ask(3, '/api/identity'), 405],
      [ask(3).replace(host(), 'Host: evil.example'), 421],
    ] as const) {
      const client = await connect();
      await client.send(request);
      const answer = await client.readAnswer();
      expect(answer.status).toBe(status);
      expect(answer.headers.get('connection')).toBe('close');
      client.socket.end();
      expect((await client.readEnd()).length).toBe(0);
    }
  });
});
