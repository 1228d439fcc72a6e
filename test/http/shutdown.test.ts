import {describe, expect, onTestFinished, test} from 'vitest';
import {STOP_TIMEOUT_MS} from '../../src/http/node/server.ts';
import {formatRequest, RawClient} from '../support/raw-client.ts';
import {makeTemporaryDirectory, openTestService, startService} from '../support/service.ts';

describe('disposing of a service under load', () => {
  test('finishes requests in flight, keeps acknowledged writes, and closes every connection', async () => {
    const directory = await makeTemporaryDirectory();
    onTestFinished(() => directory[Symbol.asyncDispose]());
    const dataDir = `${directory.path}/data`;
    const service = await startService({dataDir});
    const {port} = service;
    const acknowledged: string[] = [];
    const answers: number[] = [];
    const write = async (writer: number): Promise<void> => {
      const client = await RawClient.connect({port});
      onTestFinished(() => client[Symbol.dispose]());
      for (let count = 0; ; count++) {
        const key = `${writer}-${count}`;
        await client.send(formatRequest(`PUT /api/store/${key}`, [`Host: localhost:${port}`], `"${key}"`));
        const answered = await client.readAnswer().catch(() => undefined);
        // The connection was closed without an answer: the write was not acknowledged.
        if (answered === undefined) return;
        answers.push(answered.status);
        if (answered.status === 201) acknowledged.push(key);
        if (answered.headers.get('connection') === 'close') return;
      }
    };
    const writers = Array.from({length: 20}, (_, writer) => write(writer));
    await expect.poll(() => acknowledged.length).toBeGreaterThan(200);
    await service[Symbol.asyncDispose]();
    await Promise.all(writers);
    expect(new Set(answers)).toEqual(new Set([201]));

    const again = await openTestService({dataDir, port: 0});
    onTestFinished(() => again[Symbol.asyncDispose]());
    for (const key of acknowledged)
      expect(Buffer.from((await again.entries.get(key))?.json ?? []).toString()).toBe(`"${key}"`);
  });

  test('does not wait for clients that keep their connections', async () => {
    const service = await startService();
    for (let count = 0; count < 50; count++) {
      const client = await RawClient.connect({port: service.port});
      onTestFinished(() => client[Symbol.dispose]());
      if (count % 2 === 0) await client.send(formatRequest('GET /livez', [`Host: localhost:${service.port}`]));
    }
    const startedMs = performance.now();
    await service[Symbol.asyncDispose]();
    // After that time they are disconnected anyway.
    expect(performance.now() - startedMs).toBeLessThan(STOP_TIMEOUT_MS);
  });

  test('may be done twice, and before it ever listened', async () => {
    const crewroom = await openTestService({ephemeral: true, port: 0});
    await Promise.all([crewroom[Symbol.asyncDispose](), crewroom[Symbol.asyncDispose]()]);
    await crewroom[Symbol.asyncDispose]();
  });

  test('the embedded form then reports that the store is closed', async () => {
    const crewroom = await openTestService({ephemeral: true});
    await crewroom[Symbol.asyncDispose]();
    const response = await crewroom.fetch(new Request('http://localhost:7172/api/store/k'));
    expect(await response.json()).toMatchObject({code: 'store-closed', status: 503});
  });
});
