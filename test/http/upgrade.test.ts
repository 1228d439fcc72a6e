import {describe, expect, onTestFinished, test} from 'vitest';
import {describeInEachMode} from '../support/access-modes.ts';
import {exchange, formatRequest, RawClient} from '../support/raw-client.ts';
import {useService} from '../support/service.ts';

const service = useService({allowOrigins: ['http://localhost:3000']});

const UPGRADE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

describeInEachMode({allowOrigins: ['http://localhost:3000']}, ({service, credentials}) => {
  describe('the guard judges an upgrade like any other request, before it is granted (A9)', () => {
    const refused = [
      {name: 'a rebound host', host: 'evil.example:7172', origin: [], status: 421},
      {name: 'a foreign origin', host: undefined, origin: ['Origin: https://evil.example'], status: 403},
      {name: 'the null origin', host: undefined, origin: ['Origin: null'], status: 403},
      {name: 'a cross-site page', host: undefined, origin: ['Sec-Fetch-Site: cross-site'], status: 403},
    ];
    for (const {name, host, origin, status} of refused) {
      for (const path of ['/api/events', '/api/identity', '/']) {
        test(`${name} at ${path}`, async () => {
          const {port} = service();
          const headers = [`Host: ${host ?? `localhost:${port}`}`, ...UPGRADE, ...origin];
          expect((await exchange({port}, formatRequest(`GET ${path}`, [...headers, ...credentials()]))).status).toBe(
            status,
          );
        });
      }
    }

    test('a local program is told that there is no WebSocket', async () => {
      const {port} = service();
      const answer = await exchange(
        {port},
        formatRequest('GET /api/identity', [`Host: localhost:${port}`, ...UPGRADE, ...credentials()]),
      );
      expect(answer).toMatchObject({status: 400, json: {code: 'invalid-header', header: 'Upgrade'}});
      expect(answer.json).not.toHaveProperty('va_user');
    });

    test('an allowed page is told that there is no WebSocket', async () => {
      const {port} = service();
      const headers = [`Host: localhost:${port}`, ...UPGRADE, 'Origin: http://localhost:3000'];
      expect((await exchange({port}, formatRequest('GET /livez', headers))).status).toBe(400);
    });
  });
});

describe('a request for a WebSocket is answered with 101 or a failure, never with 200', () => {
  const host = (): string => `Host: localhost:${service().port}`;

  test('opens with the `Content-Length: 0` of the JDK', async () => {
    const client = await RawClient.connect({port: service().port});
    onTestFinished(() => client[Symbol.dispose]());
    await client.send(formatRequest('GET /api/events', [host(), ...UPGRADE, 'Content-Length: 0']));
    expect((await client.readAnswer()).status).toBe(101);
    await service().crewroom.entries.put('jdk', 1);
    expect(await client.readUntil('"key":"jdk"')).toContain('entry-written');
    await service().crewroom.entries.delete('jdk');
  });

  const refused = [
    {name: 'with a body', request: 'GET /api/events', headers: ['Content-Length: 1'], status: 400},
    {name: 'with a chunked body', request: 'GET /api/events', headers: ['Transfer-Encoding: chunked'], status: 400},
    {name: 'with another method', request: 'POST /api/events', headers: [], status: 400},
    {name: 'among other protocols', request: 'GET /api/events', headers: ['Upgrade: h2c'], status: 400},
    {name: 'where there is none', request: 'GET /api/store/a', headers: [], status: 400},
    {name: 'at an unknown path', request: 'GET /api/no-such', headers: [], status: 404},
  ];
  for (const {name, request, headers, status} of refused) {
    test(`is refused ${name}`, async () => {
      const client = await RawClient.connect({port: service().port});
      onTestFinished(() => client[Symbol.dispose]());
      await client.send(formatRequest(request, [host(), ...UPGRADE, ...headers]));
      expect((await client.readAnswer()).status).toBe(status);
      await client.readEnd();
    });
  }

  test('is ignored from HTTP/1.0, which has no upgrade', async () => {
    const head = `GET /livez HTTP/1.0\r\n${[host(), ...UPGRADE].join('\r\n')}\r\n\r\n`;
    expect((await exchange({port: service().port}, head)).status).toBe(200);
  });

  test('an empty PUT with `Content-Length: 0` stays invalid', async () => {
    const request = formatRequest('PUT /api/store/a', [host(), 'Content-Length: 0']);
    expect((await exchange({port: service().port}, request)).status).toBe(400);
  });
});

describe('a request that asks for another protocol is answered without upgrade', () => {
  const H2C = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
  const connect = async (): Promise<RawClient> => {
    const client = await RawClient.connect({port: service().port});
    onTestFinished(() => client[Symbol.dispose]());
    return client;
  };
  const host = (): string => `Host: localhost:${service().port}`;

  const bodies = [
    {name: 'with its length', headers: [], body: '{"a": 1}'},
    {
      name: 'with chunked encoding',
      headers: ['Transfer-Encoding: chunked'],
      body: '3\r\n{"a\r\n5\r\n": 1}\r\n0\r\n\r\n',
    },
  ];
  for (const {name, headers, body} of bodies) {
    test(`with its body ${name}, whenever it arrives`, async () => {
      for (const apart of [false, true]) {
        const client = await connect();
        const all = [host(), ...H2C, ...headers];
        const head = formatRequest(
          'PUT /api/store/h2c',
          headers.length > 0 ? all : [...all, `Content-Length: ${body.length}`],
        );
        if (apart) {
          await client.send(head);
          for (const byte of body) await client.send(byte);
        } else await client.send(Buffer.concat([head, Buffer.from(body)]));
        expect((await client.readAnswer()).status).toBeLessThan(300);
        const {entries} = service().crewroom;
        expect(Buffer.from((await entries.get('h2c'))?.json ?? []).toString()).toBe('{"a": 1}');
        await entries.delete('h2c');
      }
    });
  }

  test('with 100 Continue if it expects that', async () => {
    const client = await connect();
    await client.send(
      formatRequest('PUT /api/store/h2c', [host(), ...H2C, 'Expect: 100-continue', 'Content-Length: 1']),
    );
    expect((await client.readAnswer()).status).toBe(100);
    await client.send('1');
    expect((await client.readAnswer()).status).toBe(201);
    await service().crewroom.entries.delete('h2c');
  });

  test('in its order, between pipelined requests', async () => {
    const client = await connect();
    const requests: Buffer[] = [];
    for (let round = 0; round < 20; round++) {
      requests.push(formatRequest('PUT /api/store/h2c', [host()], String(round)));
      requests.push(formatRequest('GET /api/store/h2c', [host(), ...H2C]));
      requests.push(formatRequest('DELETE /api/store/h2c', [host(), ...H2C]));
    }
    requests.push(formatRequest('PUT /api/store/h2c', [host(), ...H2C], '"last"'));
    await client.send(Buffer.concat(requests));
    for (let round = 0; round < 20; round++) {
      expect((await client.readAnswer()).status).toBe(201);
      expect((await client.readAnswer()).body.toString()).toBe(String(round));
      expect((await client.readAnswer()).status).toBe(200);
    }
    expect((await client.readAnswer()).status).toBe(201);
    await service().crewroom.entries.delete('h2c');
  });

  test('with a body larger than one read', async () => {
    const value = `"${'x'.repeat(900_000)}"`;
    const client = await connect();
    void client.send(formatRequest('PUT /api/store/h2c', [host(), ...H2C], value));
    expect((await client.readAnswer()).status).toBe(201);
    expect(Buffer.from((await service().crewroom.entries.get('h2c'))?.json ?? []).toString()).toBe(value);
    await service().crewroom.entries.delete('h2c');
  });

  test('and requests after its body are answered, or have no effect and the answer closes the connection', async () => {
    const client = await connect();
    await client.send(
      Buffer.concat([
        formatRequest('PUT /api/store/h2c', [host(), ...H2C], '1'),
        formatRequest('PUT /api/store/behind', [host()], '2'),
        formatRequest('PUT /api/store/h2c', [host(), ...H2C], '3'),
      ]),
    );
    const answered = await client.readAnswer();
    expect(answered.status).toBe(201);
    const {entries} = service().crewroom;
    const isLast = answered.headers.get('connection') === 'close';
    const behind = isLast
      ? [(await client.readEnd()).length, (await entries.get('behind'))?.text]
      : [(await client.readAnswer()).status, (await client.readAnswer()).status];
    expect(behind).toEqual(isLast ? [0, undefined] : [201, 200]);
    await entries.deleteRange({prefix: ''});
  });

  test('whatever the case of its headers', async () => {
    const client = await connect();
    for (const change of [(text: string) => text.toLowerCase(), (text: string) => text.toUpperCase()]) {
      await client.send(formatRequest('GET /livez', [change(host()), ...H2C.map(change)]));
      expect((await client.readAnswer()).status).toBe(200);
    }
  });

  test('if its client half-closes after it', async () => {
    const client = await connect();
    void client.send(formatRequest('GET /livez', [host(), ...H2C]));
    client.socket.end();
    expect((await client.readAnswer()).status).toBe(200);
    await client.readEnd();
  });

  test('any number of times on one connection', async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error): void => void warnings.push(warning);
    process.on('warning', listen);
    const client = await connect();
    for (let round = 0; round < 200; round++) {
      await client.send(formatRequest('GET /livez', [host(), ...H2C]));
      expect((await client.readAnswer()).status).toBe(200);
    }
    process.off('warning', listen);
    expect(warnings).toEqual([]);
  });

  test('even if it is malformed, or hides another request', async () => {
    const smuggled = `PUT /api/store/smuggled HTTP/1.1\r\n${host()}\r\nContent-Length: 1\r\n\r\n1`;
    const malformed = [
      `PUT /api/store/h2c HTTP/1.1\r\n${host()}\r\n${H2C.join('\r\n')}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n12`,
      `PUT /api/store/h2c HTTP/1.1\r\n${host()}\r\n${H2C.join('\r\n')}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n`,
    ];
    for (const head of malformed) {
      const client = await connect();
      void client.send(`${head}${smuggled}`);
      const answered = await client.readAnswer();
      expect([answered.status, answered.json['code']]).toEqual([400, 'malformed-request']);
      await client.readEnd();
    }
    const client = await connect();
    void client.send(formatRequest('PUT /api/store/h2c', ['Host: evil.example', ...H2C], smuggled));
    expect((await client.readAnswer()).status).toBe(421);
    client.socket.end();
    expect((await client.readEnd()).toString()).toBe('');
    expect((await service().crewroom.entries.list()).entries).toEqual([]);
  });
});

describe('the service is not a proxy', () => {
  test('CONNECT is refused, and the connection is closed', async () => {
    const {port} = service();
    const client = await RawClient.connect({port});
    await client.send(`CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n`);
    expect((await client.readAnswer()).json).toMatchObject({code: 'malformed-request', status: 400});
    expect((await client.readEnd()).length).toBe(0);
    client[Symbol.dispose]();
  });
});
