import {describe, expect, onTestFinished, test} from 'vitest';
import type {Config} from '../../src/platform/config/config.ts';
import {bearer} from '../support/access-tokens.ts';
import {readOwnerToken} from '../support/owner-file.ts';
import {formatRequest, type RawClient} from '../support/raw-client.ts';
import {callService, connectInTest, startInTest, type TestService} from '../support/service.ts';

const CONNECTIONS_MAX = 16;

/** More than the maximum. */
const ATTACKERS = 3 * CONNECTIONS_MAX;

function start(options: Partial<Config> = {}): Promise<TestService> {
  return startInTest({connectionsMax: CONNECTIONS_MAX, ...options});
}

/** Returns the status of an answer to another client. */
async function statusOf(
  service: TestService,
  line = 'GET /livez',
  {body, headers = []}: {readonly body?: string; readonly headers?: readonly string[]} = {},
): Promise<number> {
  return (await callService(service, line, {body, headers})).status;
}

/** Sends requests of another client one after the other. @returns How many are refused. */
async function countRefused(service: TestService, headers: readonly string[]): Promise<number> {
  let refused = 0;
  for (let count = 0; count < CONNECTIONS_MAX; count++) {
    if ((await statusOf(service)) !== 200) refused++;
    if ((await statusOf(service, 'PUT /api/store/k', {body: '1', headers})) >= 400) refused++;
  }
  return refused;
}

describe('the connection of a client that disconnects while it waits for events is released (A18)', () => {
  const gone: readonly {readonly name: string; readonly leave: (client: RawClient) => unknown}[] = [
    {name: 'half-closed', leave: client => client.socket.end()},
    {name: 'closed its socket', leave: client => client.socket.destroy()},
    {name: 'was reset', leave: client => client.socket.resetAndDestroy()},
  ];
  for (const {name, leave} of gone) {
    test(`when it ${name}`, async () => {
      const service = await start();
      // The first request with parameters loads the schemas; until then no request listens for its client.
      expect(await statusOf(service, 'GET /api/keys')).toBe(200);
      const poll = formatRequest('GET /api/events?prefix=x&waitSeconds=50', [`Host: localhost:${service.port}`]);
      for (let count = 0; count < ATTACKERS; count++) {
        const client = await connectInTest(service);
        await client.send(poll);
        leave(client);
        // The poll has arrived before the next request is answered, and its place is free by then.
        expect(await statusOf(service)).toBe(200);
      }
    });
  }

  test('and one that half-closed gets its answer at once, and its connection is closed', async () => {
    const service = await start();
    const client = await connectInTest(service);
    await client.send(formatRequest('GET /api/events?waitSeconds=50', [`Host: localhost:${service.port}`]));
    client.socket.end();
    expect((await client.readAnswer()).json).toMatchObject({events: [], cursor: expect.stringMatching(/-0$/)});
    await client.readEnd();
  });

  test('while polls of connected clients do not use the connections of others', async () => {
    const service = await start();
    const host = `Host: localhost:${service.port}`;
    const waiting: RawClient[] = [];
    for (let count = 0; count < ATTACKERS; count++) {
      const client = await connectInTest(service);
      await client.send(formatRequest('GET /api/events?waitSeconds=50', [host]));
      waiting.push(client);
      expect(await statusOf(service)).toBe(200);
    }
    expect(await statusOf(service, 'PUT /api/store/k', {body: '1'})).toBe(201);
    for (const client of waiting)
      expect((await client.readAnswer()).json).toMatchObject({cursor: expect.stringMatching(/-1$/)});
  });

  test('and one connection can be used for any number of polls', async () => {
    const service = await start();
    const client = await connectInTest(service);
    for (let count = 1; count <= 30; count++) {
      await client.send(
        formatRequest(`GET /api/events?after=${count - 1}&waitSeconds=50`, [`Host: localhost:${service.port}`]),
      );
      await service.crewroom.entries.put('k', 1);
      expect((await client.readAnswer()).json).toMatchObject({cursor: expect.stringMatching(`-${count}$`)});
      expect(client.socket.listenerCount('end')).toBeLessThan(5);
    }
  });
});

describe('clients that hold connections without progress do not block others (A18)', () => {
  const import_ = 'POST /api/import HTTP/1.1\r\nTransfer-Encoding: chunked\r\n';
  const list = 'GET /api/keys?values=true HTTP/1.1\r\n';
  const attacks: readonly {
    readonly name: string;
    readonly head: string;
    readonly drip?: string;
    readonly rest?: string;
    /** True if the answer has to be more than the buffers between a service and a client that does not read can hold. */
    readonly isLarge?: true;
  }[] = [
    {name: 'imports that trickle blank lines', head: import_, drip: '1\r\n\n\r\n'},
    {
      name: 'imports that trickle white space in a line',
      head: import_,
      drip: '1\r\n \r\n',
    },
    {name: 'bodies that never end', head: 'PUT /api/store/x HTTP/1.1\r\nContent-Length: 1000\r\n', rest: '"'},
    {name: 'bodies that trickle', head: 'PUT /api/store/x HTTP/1.1\r\nContent-Length: 1000\r\n', drip: ' '},
    {
      name: 'bodies that are announced and never sent',
      head: 'PUT /api/store/x HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1000\r\n',
    },
    {name: 'exports that are not read', head: 'GET /api/export HTTP/1.1\r\n', isLarge: true},
    {name: 'lists that are not read', head: list, isLarge: true},
    {
      name: 'pipelined lists that are not read',
      head: list,
      rest: `${list}Host: {{host}}\r\n\r\n`.repeat(12),
      isLarge: true,
    },
    {name: 'heads that never end', head: 'GET /livez HTTP/1.1\r\nX: '},
    {name: 'connections without a request', head: ''},
  ];
  // Attackers have no credentials, and other clients those that the mode asks for. No mode matters to those who never end a head, and `attributed` refuses or admits each of the others like one of the two.
  const modes = attacks.flatMap(attack =>
    (attack.head.endsWith('\r\n') ? (['open', 'strict'] as const) : (['open'] as const)).map(access => ({
      ...attack,
      access,
    })),
  );
  for (const {name, head, drip, rest = '', isLarge = false, access} of modes) {
    test(`${name}, in the mode ${access}`, async () => {
      const service = await start({access});
      const headers = access === 'open' ? [] : [bearer(await readOwnerToken(service))];
      const host = `localhost:${service.port}`;
      for (let count = 0; isLarge && count < 12; count++)
        await service.crewroom.entries.put(`large-${count}`, Buffer.from(`"${'x'.repeat(1_000_000)}"`));
      const open = head.endsWith('\r\n') ? `${head}Host: ${host}\r\n\r\n` : head;
      const attackers: RawClient[] = [];
      const attack = async (): Promise<void> => {
        const client = await connectInTest(service);
        client.socket.pause();
        void client.send(open + rest.replaceAll('{{host}}', host));
        attackers.push(client);
      };
      for (let count = 0; count < ATTACKERS; count++) await attack();
      const timer = setInterval(() => {
        for (const client of attackers) if (drip !== undefined && client.socket.writable) void client.send(drip);
      }, 20);
      onTestFinished(() => clearInterval(timer));
      // For a moment slow clients cannot be told from attackers, and hold all places.
      await expect.poll(() => countRefused(service, headers), {timeout: 30_000}).toBe(0);
    });
  }
});
