import {once} from 'node:events';
import {readFile} from 'node:fs/promises';
import {describe, expect, onTestFinished, test} from 'vitest';
import {DEFAULT_LIMITS} from '../../src/core/domain/limits.ts';
import {createMachine, type Service} from '../cli/crewroom.ts';
import {exchange, formatRequest, type RawClient} from '../support/raw-client.ts';
import {connectInTest} from '../support/service.ts';

const MIB = 1024 * 1024;

/**
 * Maximum memory of a process whose clients make it hold all that they can, in bytes: 256 MiB for them, some 80 for itself,
 * what the engine has not collected yet of what was read, and a margin of half of that.
 */
const PEAK_BYTES_MAX = 576 * MIB;
const machine = await createMachine();

/** Returns the peak memory of a process, in bytes. */
async function peakOf({child}: Service): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+([0-9]+) kB/.exec(status)?.[1]) * 1024;
}

async function start(): Promise<Service> {
  const service = await machine.start();
  onTestFinished(async () => {
    await service.stop();
  });
  return service;
}

function hostOf({port}: Service): string {
  return `Host: localhost:${port}`;
}

/** Sends in chunks, so that little data waits in this process; ends early if the service closes the connection. */
async function sendSlowly(client: RawClient, head: string, piece: Buffer, count: number): Promise<void> {
  await client.send(`${head}\r\n\r\n`);
  for (let index = 0; index < count && !client.ended && !client.socket.destroyed; index++) await client.send(piece);
}

describe.runIf(process.platform === 'linux')('the real memory that clients make a service hold', () => {
  test('a body in chunks of one byte takes no object for each chunk', {timeout: 60_000}, async () => {
    const service = await start();
    const before = await peakOf(service);
    const client = await connectInTest(service);
    const head = `POST /api/transactions HTTP/1.1\r\n${hostOf(service)}\r\nTransfer-Encoding: chunked`;
    await sendSlowly(client, head, Buffer.from('1\r\n \r\n'.repeat(10_000)), 50);
    await client.send('0\r\n\r\n');
    // It has read everything once it answers; until then much may be in the buffers of the operating system.
    expect((await client.readAnswer()).json).toMatchObject({code: 'invalid-json', position: 500_000});
    // Half a million bytes came, each of which took some 250.
    expect((await peakOf(service)) - before).toBeLessThan(64 * MIB);
  });

  test('unfinished bodies of the largest size', {timeout: 120_000}, async () => {
    const service = await start();
    const head = `POST /api/transactions HTTP/1.1\r\n${hostOf(service)}\r\nContent-Length: ${DEFAULT_LIMITS.transactionBytesMax}`;
    const piece = Buffer.alloc(64 * 1024, ' ');
    const clients = await Promise.all(Array.from({length: 400}, () => connectInTest(service)));
    // All but the last piece of each: 775 MiB.
    const pieces = DEFAULT_LIMITS.transactionBytesMax / piece.length - 1;
    await Promise.all(clients.map(client => sendSlowly(client, head, piece, pieces)));
    expect(await peakOf(service)).toBeLessThan(PEAK_BYTES_MAX);
    expect((await exchange(service, formatRequest('GET /livez', [hostOf(service)]))).status).toBe(200);
  });

  test('pages of values that are not read', {timeout: 120_000}, async () => {
    const service = await start();
    for (let index = 0; index < 4; index++) {
      const body = JSON.stringify('x'.repeat(MIB - 2));
      await exchange(service, formatRequest(`PUT /api/store/${index}`, [hostOf(service)], body));
    }
    const clients = await Promise.all(Array.from({length: 200}, () => connectInTest(service)));
    const asked = clients.map(({socket}) => {
      // The answer starts, and the rest stays with the service.
      socket.removeAllListeners('data').pause();
      return Promise.race([once(socket, 'readable'), once(socket, 'close')]);
    });
    for (const client of clients) void client.send(formatRequest('GET /api/keys?values=true', [hostOf(service)]));
    await Promise.all(asked);
    expect(await peakOf(service)).toBeLessThan(PEAK_BYTES_MAX);
  });
});
