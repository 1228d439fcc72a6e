import {describe, expect, test} from 'vitest';
import {createService, type Readiness, type SessionStatus} from '../../src/client/service/index.ts';

/** A service that answers everything with one document. */
const answering = (document: object) =>
  createService({attemptsMax: 1, fetch: async () => Response.json(document, {headers: {'Crewroom-API': '1'}})});

describe('a client reads values of a later service as they are', () => {
  test('in a session', async () => {
    const later: SessionStatus['state'] = 'paused';
    const sent = {state: later, source: 'passkey', kept: 'cloud', changedAt: '2026-11-21T18:35:22Z', later: 1};
    const {state, source, kept} = await answering(sent).sessions.status();
    expect({state, source, kept}).toEqual({state: 'paused', source: 'passkey', kept: 'cloud'});
  });

  test('in the state of the service', async () => {
    const identity: Readiness['identity'] = {source: 'passkey', state: 'paused', signedIn: true, stale: false};
    const sent: Readiness = {ready: true, storeState: 'append-only', identity};
    expect(await answering({...sent, later: 1}).readiness()).toMatchObject(sent);
  });
});
