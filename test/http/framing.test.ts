import {describe, expect, test} from 'vitest';
import {formatRequest, type RawClient} from '../support/raw-client.ts';
import {connectInTest, useService} from '../support/service.ts';

const service = useService();

function host(): string {
  return `Host: localhost:${service().port}`;
}

function connect(): Promise<RawClient> {
  return connectInTest(service());
}

async function readKeys(): Promise<readonly string[]> {
  return (await service().crewroom.entries.list()).entries.map(({key}) => key);
}

/** A request that another parser could see inside the body of the one before. */
const SMUGGLED = 'PUT /api/store/smuggled HTTP/1.1\r\n';

describe('a request that two parsers could read differently is refused, and its connection ends (B8)', () => {
  const put = 'PUT /api/store/k HTTP/1.1';
  const requests: readonly {readonly name: string; readonly make: (host: string) => string}[] = [
    {
      name: 'Content-Length and Transfer-Encoding',
      make: host => `${put}\r\n${host}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\n\r\n`,
    },
    {
      name: 'Transfer-Encoding and Content-Length',
      make: host => `${put}\r\n${host}\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n1\r\n1\r\n0\r\n\r\n`,
    },
    {
      name: 'two different lengths',
      make: host => `${put}\r\n${host}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12`,
    },
    {
      name: 'the same length twice',
      make: host => `${put}\r\n${host}\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n1`,
    },
    {name: 'two encodings', make: host => `${put}\r\n${host}\r\nTransfer-Encoding: chunked, identity\r\n\r\n1`},
    {name: 'an unknown encoding', make: host => `${put}\r\n${host}\r\nTransfer-Encoding: xchunked\r\n\r\n1`},
    {
      name: 'a compressed transfer coding',
      make: host => `${put}\r\n${host}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n1\r\n1\r\n0\r\n\r\n`,
    },
    {
      name: 'chunked encoding twice',
      make: host => `${put}\r\n${host}\r\nTransfer-Encoding: chunked, chunked\r\n\r\n1\r\n1\r\n0\r\n\r\n`,
    },
    {
      name: 'two headers about the encoding',
      make: host =>
        `${put}\r\n${host}\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\n\r\n`,
    },
    {
      name: 'chunked encoding with HTTP/1.0',
      make: host =>
        `PUT /api/store/k HTTP/1.0\r\n${host}\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\n\r\n`,
    },
    {name: 'bare line feeds', make: host => `GET /livez HTTP/1.1\n${host}\n\n`},
    {name: 'a bare line feed after a header', make: host => `GET /livez HTTP/1.1\r\n${host}\nX: 1\r\n\r\n`},
    {name: 'a bare carriage return', make: host => `GET /livez HTTP/1.1\r\n${host}\rX: 1\r\n\r\n`},
    {name: 'a header that is folded', make: host => `GET /livez HTTP/1.1\r\n${host}\r\n X: 1\r\n\r\n`},
    {name: 'a space before the colon', make: host => `GET /livez HTTP/1.1\r\n${host.replace(':', ' :')}\r\n\r\n`},
    {name: 'a header without a name', make: host => `GET /livez HTTP/1.1\r\n${host}\r\n: 1\r\n\r\n`},
    {name: 'a NUL in a header', make: host => `GET /livez HTTP/1.1\r\n${host}\r\nX: a\0b\r\n\r\n`},
    {
      name: 'a chunk size that is not a number',
      make: host => `${put}\r\n${host}\r\nTransfer-Encoding: chunked\r\n\r\nZ\r\n1\r\n`,
    },
    {
      name: 'a chunk without its end',
      make: host => `${put}\r\n${host}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n123\r\n0\r\n\r\n`,
    },
    {
      name: 'a chunk size beyond all numbers',
      make: host => `${put}\r\n${host}\r\nTransfer-Encoding: chunked\r\n\r\n${'f'.repeat(17)}\r\n`,
    },
    {name: 'another protocol', make: () => 'SSH-2.0-OpenSSH_9.2\r\n\r\n'},
    {name: 'TLS', make: () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'},
    {name: 'an unknown version', make: host => `GET /livez HTTP/9.9\r\n${host}\r\n\r\n`},
    {name: 'HTTP/2 in the form of HTTP/1', make: host => `GET /livez HTTP/2.0\r\n${host}\r\n\r\n`},
    {
      name: 'HTTP/2 in the form of HTTP/1, with an upgrade',
      make: host =>
        `GET /api/events HTTP/2.0\r\n${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    },
    {name: 'HTTP/0.9 with headers', make: host => `GET /livez HTTP/0.9\r\n${host}\r\n\r\n`},
  ];
  for (const {name, make} of requests) {
    test(name, async () => {
      const client = await connect();
      // The bytes after it must not be read as a request.
      void client.send(Buffer.from(`${make(host())}${SMUGGLED}${host()}\r\nContent-Length: 1\r\n\r\n1`, 'latin1'));
      const answer = await client.readAnswer();
      expect(answer.status).toBe(400);
      expect(answer.json).toMatchObject({code: 'malformed-request'});
      expect(answer.headers.get('connection')).toBe('close');
      expect((await client.readEnd()).toString()).toBe('');
      expect(await readKeys()).toEqual([]);
    });
  }

  test('the body of a refused request is never read as a request', async () => {
    const client = await connect();
    const inner = `${SMUGGLED}${host()}\r\nContent-Length: 1\r\n\r\n1`;
    void client.send(formatRequest('PUT /api/store/k', ['Host: evil.example'], inner));
    expect((await client.readAnswer()).status).toBe(421);
    client.socket.end();
    expect((await client.readEnd()).toString()).toBe('');
    expect(await readKeys()).toEqual([]);
  });

  test('the body of a GET is drained, and the connection stays usable', async () => {
    const client = await connect();
    const inner = `${SMUGGLED}${host()}\r\nContent-Length: 1\r\n\r\n1`;
    await client.send(
      Buffer.concat([formatRequest('GET /livez', [host()], inner), formatRequest('GET /api', [host()])]),
    );
    expect((await client.readAnswer()).json).toEqual({live: true});
    expect((await client.readAnswer()).json).toMatchObject({name: 'crewroom'});
    expect(await readKeys()).toEqual([]);
  });
});

describe('requests sent without waiting for answers', () => {
  test('are answered in their order, and see the effects of earlier ones', async () => {
    const client = await connect();
    const requests: Buffer[] = [];
    for (let round = 0; round < 7; round++) {
      requests.push(formatRequest('PUT /api/store/pipelined', [host()], String(round)));
      requests.push(formatRequest('GET /api/store/pipelined', [host()]));
    }
    requests.push(formatRequest('DELETE /api/store/pipelined', [host()]));
    await client.send(Buffer.concat(requests));
    for (let round = 0; round < 7; round++) {
      expect((await client.readAnswer()).status).toBe(round === 0 ? 201 : 200);
      expect((await client.readAnswer()).body.toString()).toBe(String(round));
    }
    expect((await client.readAnswer()).status).toBe(200);
    expect(await readKeys()).toEqual([]);
  });

  test('a malformed one is refused after those before it, and those after it have no effect (B8)', async () => {
    const client = await connect();
    const bad = 'GET /livez HTTP/1.1\r\nbad header\r\n\r\n';
    void client.send(
      Buffer.concat([
        formatRequest('PUT /api/store/before', [host()], '1'),
        formatRequest('GET /api/store/before', [host()]),
        Buffer.from(bad),
        formatRequest('PUT /api/store/after', [host()], '1'),
      ]),
    );
    expect((await client.readAnswer()).status).toBe(201);
    expect((await client.readAnswer()).body.toString()).toBe('1');
    expect((await client.readAnswer()).json).toMatchObject({code: 'malformed-request'});
    expect((await client.readEnd()).toString()).toBe('');
    expect(await readKeys()).toEqual(['before']);
    await service().crewroom.entries.delete('before');
  });

  test('requests after "Connection: close" have no effect', async () => {
    const client = await connect();
    void client.send(
      Buffer.concat([
        formatRequest('GET /livez', [host(), 'Connection: close']),
        formatRequest('PUT /api/store/after', [host()], '1'),
      ]),
    );
    expect((await client.readAnswer()).headers.get('connection')).toBe('close');
    expect((await client.readEnd()).toString()).toBe('');
    expect(await readKeys()).toEqual([]);
  });

  test('requests after a refused body have no effect', async () => {
    const client = await connect();
    const large = Buffer.alloc(1024 * 1024 + 1, '1');
    void client.send(
      Buffer.concat([
        formatRequest('PUT /api/store/large', [host()], large),
        formatRequest('PUT /api/store/after', [host()], '1'),
      ]),
    );
    expect((await client.readAnswer()).status).toBe(413);
    expect((await client.readEnd()).toString()).toBe('');
    expect(await readKeys()).toEqual([]);
  });

  test('a client that half-closes after its last request gets every answer', async () => {
    const client = await connect();
    void client.send(
      Buffer.concat([
        formatRequest('PUT /api/store/last', [host()], '1'),
        formatRequest('DELETE /api/store/last', [host()]),
      ]),
    );
    client.socket.end();
    expect((await client.readAnswer()).status).toBe(201);
    expect((await client.readAnswer()).status).toBe(200);
    await client.readEnd();
  });

  test('a client that half-closes in the middle of a request gets a failure', async () => {
    const client = await connect();
    void client.send(`PUT /api/store/half HTTP/1.1\r\n${host()}\r\nContent-Length: 10\r\n\r\n123`);
    client.socket.end();
    expect((await client.readAnswer()).json).toMatchObject({code: 'malformed-request'});
    expect(await readKeys()).toEqual([]);
  });
});

describe('HTTP/1.0', () => {
  test('is answered, and the connection is closed', async () => {
    const client = await connect();
    await client.send(`GET /livez HTTP/1.0\r\n${host()}\r\n\r\n`);
    expect((await client.readAnswer()).json).toEqual({live: true});
    await client.readEnd();
  });
});
