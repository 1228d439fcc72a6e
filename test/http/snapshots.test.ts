import {readdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import type {Export, ExportOptions} from '../../src/core/domain/commits/transfer.ts';
import {createSnapshots} from '../../src/service/snapshots/automatic-snapshots.ts';
import {readOwnerToken} from '../support/owner-file.ts';
import {callService, startInTest, type TestService} from '../support/service.ts';

async function save(service: TestService, query = '') {
  const headers = [`Authorization: Bearer ${await readOwnerToken(service)}`];
  return callService(service, `POST /api/snapshots${query}`, {headers});
}

describe('POST /api/snapshots', () => {
  test('saves the entries under a prefix, and names the command that restores them', async () => {
    const service = await startInTest();
    for (const key of ['a/1', 'b']) await service.crewroom.entries.put(key, Buffer.from('1.0'));
    const {status, json} = await save(service, '?prefix=a/');
    const {name, undo, ...at} = json as {readonly name: string; readonly undo: string};
    expect(at).toEqual({storeId: service.crewroom.storeId, revision: '2'});
    expect([status, name]).toEqual([201, expect.stringMatching(/^before-import-\d{8}t\d{9}z$/)]);
    expect(undo).toBe(`crewroom snapshot load ${name} --port ${service.port} --data-dir ${service.dataDir}`);
    const text = await readFile(join(`${service.dataDir}-snapshots`, `${name}.ndjson`), 'utf8');
    expect([text.includes('"a/1"'), text.includes('"b"')]).toEqual([true, false]);
  });

  test('is for the owner only', async () => {
    const service = await startInTest();
    expect((await callService(service, 'POST /api/snapshots')).json).toMatchObject({code: 'owner-required'});
    const headers = [`Authorization: Bearer ${await readOwnerToken(service)}`, 'Origin: http://localhost:5173'];
    expect((await callService(service, 'POST /api/snapshots', {headers})).status).toBe(403);
    await expect(readdir(`${service.dataDir}-snapshots`)).rejects.toThrow('ENOENT');
  });

  test('saves nothing for a store in memory', async () => {
    const service = await startInTest({ephemeral: true});
    const {status, json} = await save(service);
    expect([status, json]).toEqual([200, {}]);
    expect((await callService(service, 'GET /api')).json).toMatchObject({storeKind: 'memory'});
  });

  test('says why it cannot be saved', async () => {
    const service = await startInTest();
    await writeFile(`${service.dataDir}-snapshots`, 'a file is in the way');
    const {status, json} = await save(service);
    expect([status, json]).toMatchObject([
      500,
      {code: 'snapshot-failed', advice: expect.stringMatching(/^Nothing was deleted/)},
    ]);
  });

  test('keeps no export open that cannot be saved', async () => {
    const {crewroom, dataDir} = await startInTest();
    const directory = `${dataDir}-snapshots`;
    await writeFile(directory, 'a file is in the way');
    const exports: Export[] = [];
    const transfer = {
      export: async (options?: ExportOptions) => {
        const exported = await crewroom.transfer.export(options);
        exports.push(exported);
        return exported;
      },
    };
    const place = {directory, userId: process.getuid?.(), nowMs: Date.now, randomName: () => 'aa'};
    const snapshots = createSnapshots({
      store: {id: crewroom.storeId},
      transfer,
      place,
      flags: () => [],
      platform: process.platform,
    });
    await expect(snapshots.saveBeforeImport('')).rejects.toMatchObject({failure: {code: 'snapshot-failed'}});
    expect(await exports[0]?.next()).toMatchObject({done: true});
  });
});
