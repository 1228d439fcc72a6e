import {describe, expect, test} from 'vitest';
import {readOwnerToken} from '../support/owner-file.ts';
import {callService, startInTest, useService} from '../support/service.ts';

describe('POST /api/stop', () => {
  let asked = 0;
  const service = useService({ephemeral: true}, {stop: {processId: 4711, ask: () => void asked++}});

  test('asks the program to end, for the owner', async () => {
    const headers = [`Authorization: Bearer ${await readOwnerToken(service())}`];
    const {status, json} = await callService(service(), 'POST /api/stop', {headers});
    expect([status, json, asked]).toEqual([202, {processId: 4711}, 1]);
  });

  test('is refused to programs without the token of the owner, and to pages of other origins', async () => {
    const before = asked;
    expect((await callService(service(), 'POST /api/stop')).json).toMatchObject({code: 'owner-required'});
    const headers = [`Authorization: Bearer ${await readOwnerToken(service())}`, 'Origin: http://localhost:5173'];
    expect((await callService(service(), 'POST /api/stop', {headers})).status).toBe(403);
    expect(asked).toBe(before);
  });

  test('is not found in a program that embeds the service', async () => {
    const embedded = await startInTest({ephemeral: true});
    const headers = [`Authorization: Bearer ${await readOwnerToken(embedded)}`];
    expect((await callService(embedded, 'POST /api/stop', {headers})).status).toBe(404);
  });
});
