import {readFile} from 'node:fs/promises';
import {describe, expect, onTestFinished, test} from 'vitest';
import {createMachine, type Service} from '../cli/crewroom.ts';
import {RawClient} from '../support/raw-client.ts';

const MIB = 1024 * 1024;
const machine = await createMachine();

/** Most memory that a process has taken since it began, in bytes. */
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

async function connect({port}: Service): Promise<RawClient> {
  const client = await RawClient.connect({port});
  onTestFinished(() => client[Symbol.dispose]());
  return client;
}

function hostOf({port}: Service): string {
  return `Host: localhost:${port}`;
}

/** Sends in pieces, so that not all of it waits in this process; ends early when the service closes the connection. */
async function sendSlowly(client: RawClient, head: string, piece: Buffer, count: number): Promise<void> {
  await client.send(`${head}\r\n\r\n`);
  for (let index = 0; index < count && !client.ended && !client.socket.destroyed; index++) await client.send(piece);
}

describe.runIf(process.platform === 'linux')('what clients make a service hold in real memory', () => {
  test('a body in chunks of one byte takes no object for each of them', {timeout: 60_000}, async () => {
    const service = await start();
    const before = await peakOf(service);
    const client = await connect(service);
    const head = `POST /api/transactions HTTP/1.1\r\n${hostOf(service)}\r\nTransfer-Encoding: chunked`;
    await sendSlowly(client, head, Buffer.from('1\r\n \r\n'.repeat(10_000)), 50);
    // Half a million bytes came, each of which took some 250.
    expect((await peakOf(service)) - before).toBeLessThan(64 * MIB);
  });
});
