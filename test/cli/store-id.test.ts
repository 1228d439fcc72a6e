import assert from 'node:assert/strict';
import {copyFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, test} from 'vitest';
import {createClient} from '../../src/client/index.ts';
import {findFreePort} from '../support/free-port.ts';
import {createMachine} from './crewroom.ts';

const machine = await createMachine();

/** Starts the service, writes so many commits, and stops it. */
async function fill(dataDir: string, count: number): Promise<unknown> {
  const service = await machine.start(['--data-dir', dataDir]);
  for (let index = 0; index < count; index++)
    await fetch(`${service.url}/api/store/k`, {method: 'PUT', body: String(index)});
  await service.stop();
  return service.started['storeId'];
}

describe('another store at the same path', () => {
  test('is noticed by a client that reconnects: its stream is reset, and revisions that it read before match nothing', async () => {
    const [dataDir, otherDir] = [join(machine.home, 'replaced'), join(machine.home, 'other')];
    const otherId = await fill(otherDir, 5);
    const port = String(await findFreePort());
    const before = await machine.start(['--data-dir', dataDir, '--port', port]);
    const client = createClient({baseUrl: before.url});
    const written = await client.entries.put('k', 'mine');
    const etag = (await fetch(`${before.url}/api/store/k`)).headers.get('etag') ?? '';
    const events = client.events({after: 0})[Symbol.asyncIterator]();
    assert.equal((await events.next()).value?.kind, 'entry-written');
    await before.stop();
    await copyFile(join(otherDir, 'store', 'data.mdb'), join(dataDir, 'store', 'data.mdb'));

    const after = await machine.start(['--data-dir', dataDir, '--port', port]);
    assert.equal(after.started['storeId'], otherId);
    assert.deepEqual((await events.next()).value, {kind: 'reset', revision: 5, cursor: `${otherId}-5`});
    await events.return?.();
    const conflict = {
      failure: {
        code: 'revision-conflict',
        conflicts: [{key: 'k', expected: etag.slice(1, -1), actual: '5', etag: `"${otherId}-5"`}],
      },
    };
    await assert.rejects(client.entries.put('k', 1, {expected: written.revision}), conflict);
    const refused = await fetch(`${after.url}/api/store/k`, {method: 'PUT', headers: {'If-Match': etag}, body: '1'});
    assert.equal(refused.status, 412);
    await after.stop();
  });

  test('is said with --new-store-id, once, and the start after it keeps the id', async () => {
    const dataDir = join(machine.home, 'said');
    const first = await fill(dataDir, 1);
    const service = await machine.start(['--data-dir', dataDir, '--new-store-id']);
    const {storeId} = service.started;
    assert.notEqual(storeId, first);
    assert.match(service.said().stderr, /"message":"the store has a new id"/);
    const status = await machine.run(['status', '--port', String(service.port), '--json']);
    assert.equal((JSON.parse(status.stdout) as {storeId: unknown}).storeId, storeId);
    const put = (ifMatch: string) =>
      machine.run(['put', 'k', '2', '--if-match', ifMatch, '--port', String(service.port)]);
    const stale = await put(`${first}-1`);
    assert.equal(stale.exitCode, 4);
    assert.match(stale.stderr, /expected revision 1 of another store, found revision 1/);
    assert.equal((await put('x-')).exitCode, 2);
    assert.equal((await put(`"${storeId}-1"`)).exitCode, 0);
    assert.equal((await put('2')).exitCode, 0);
    await service.stop();
    assert.equal(await fill(dataDir, 0), storeId);
  });
});
