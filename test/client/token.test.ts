import {createServer} from 'node:http';
import {describe, expect, onTestFinished, test} from 'vitest';
import {createClient} from '../../src/client/index.ts';
import {createService} from '../../src/client/service/index.ts';
import {createTransfer} from '../../src/client/transfer/index.ts';
import {createToken} from '../support/access-tokens.ts';
import {useService} from '../support/service.ts';

const service = useService();
const TOKEN = `crewroom_${'aB3_-'.repeat(9).slice(2)}`;

/** Records the requests of clients, and sends them. */
function record() {
  const requests: {readonly url: string; readonly authorization: string | null}[] = [];
  const send = (request: Request): Promise<Response> => {
    requests.push({url: request.url, authorization: request.headers.get('Authorization')});
    return fetch(request);
  };
  return {requests, fetch: send};
}

describe('a client with a token', () => {
  test('sends it with each request, in Authorization only', async () => {
    const token = await createToken(service(), ['entries:read:', 'entries:write:', 'identity:read']);
    const {requests, fetch} = record();
    const options = {baseUrl: service().url, token, fetch};
    const {entries, events, identity} = createClient(options);
    const {revision} = await entries.put('a', '1');
    await entries.put('a', '2', {expected: revision});
    await identity();
    for await (const {kind} of events({initial: true})) if (kind === 'entry-written') break;
    await createService(options).sessions.status();
    for await (const _ of await createTransfer(options).export());
    expect(requests.map(({url}) => new URL(url).pathname)).toEqual(
      expect.arrayContaining(['/api/store/a', '/api/identity', '/api/events', '/api/session', '/api/export']),
    );
    expect(new Set(requests.map(({authorization}) => authorization))).toEqual(new Set([`Bearer ${token}`]));
    expect(requests.map(({url}) => url).join()).not.toContain(token);
  });

  test('may do what the token permits, and its event stream too', async () => {
    const token = await createToken(service(), ['entries:read:com.a/'], {name: 'reader'});
    const {entries, events} = createClient({baseUrl: service().url, token});
    await createClient({baseUrl: service().url}).entries.put('com.a/x', '1');
    expect((await entries.get('com.a/x'))?.text).toBe('1');
    const refused = {failure: {code: 'permission-required', principal: 'token:reader'}};
    await expect(entries.put('com.a/x', '2')).rejects.toMatchObject(refused);
    await expect(events({prefix: 'com.b/'})[Symbol.asyncIterator]().next()).rejects.toMatchObject(refused);
  });

  test('ends with the advice of the service if the token is unknown', async () => {
    const {identity, events} = createClient({baseUrl: service().url, token: TOKEN});
    const refused = {failure: {code: 'invalid-token'}};
    await expect(identity()).rejects.toMatchObject(refused);
    await expect(events()[Symbol.asyncIterator]().next()).rejects.toMatchObject(refused);
  });

  test('does not send it to where an answer redirects to', async () => {
    const received: (string | undefined)[] = [];
    const server = createServer(({url, headers}, response) => {
      received.push(`${url} ${headers.authorization}`);
      response.writeHead(307, {Location: '/elsewhere'}).end();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise(listening => server.once('listening', listening));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const {identity} = createClient({baseUrl: `http://127.0.0.1:${port}`, token: TOKEN, attemptsMax: 1});
    await expect(identity()).rejects.toMatchObject({name: 'AppError'});
    expect(received).toEqual([`/api/identity Bearer ${TOKEN}`]);
  });

  for (const [name, token] of [
    ['is empty', ''],
    ['is cut off', TOKEN.slice(0, -1)],
    ['is too long', `${TOKEN}A`],
    ['ends in a line break', `${TOKEN}\n`],
    ['has no prefix', TOKEN.replace('crewroom_', '')],
    ['has a character that no header may have', TOKEN.replace('a', '\u20ac')],
  ] as const)
    test(`is not created if the token ${name}, and the message does not repeat it`, () => {
      for (const create of [createClient, createService, createTransfer]) {
        let thrown: unknown;
        try {
          create({token});
        } catch (error) {
          thrown = error;
        }
        expect(thrown).toMatchObject({failure: {code: 'invalid-parameter', parameter: 'token'}});
        if (token !== '') expect(JSON.stringify([thrown, String(thrown)])).not.toContain(token.trim().slice(12));
      }
    });
});
