import {createServer} from 'node:http';
import {describe, expect, onTestFinished, test} from 'vitest';
import {type AppError, type ClientOptions, createClient} from '../../src/client/index.ts';
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

test('a client shows that no foreign page sends its requests', async () => {
  const sent: (string | null)[] = [];
  const send = (request: Request): Promise<Response> => {
    sent.push(request.headers.get('X-Crewroom-Client'));
    return fetch(request);
  };
  const {entries, events} = createClient({baseUrl: service().url, fetch: send});
  await entries.put('a', 1);
  for await (const {kind} of events({initial: true})) if (kind === 'entry-written') break;
  expect(sent).toEqual(['1', '1']);
});

describe('a client with a token', () => {
  test('sends it with each request, in Authorization only', async () => {
    const token = await createToken(service(), ['entries:read:', 'entries:write:', 'identity:read']);
    const {requests, fetch} = record();
    const options = {baseUrl: service().url, token, fetch};
    const {entries, events, identity} = createClient(options);
    const {revision} = await entries.put('a', 1);
    await entries.put('a', 2, {expected: revision});
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
    await createClient({baseUrl: service().url}).entries.put('com.a/x', 1);
    expect((await entries.get('com.a/x'))?.text).toBe('1');
    const refused = {failure: {code: 'permission-required', principal: 'token:reader'}};
    await expect(entries.put('com.a/x', 2)).rejects.toMatchObject(refused);
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

  describe('sends it over plain http to this machine only:', () => {
    /** Calls with a token, and returns the failure, and the addresses that got the token. */
    async function callAt(baseUrl: string, options: ClientOptions = {}) {
      const received: string[] = [];
      const answer = async (request: Request): Promise<Response> => {
        if (request.headers.has('Authorization')) received.push(request.url);
        return Response.json({});
      };
      const {identity} = createClient({baseUrl, token: TOKEN, fetch: answer, attemptsMax: 1, ...options});
      const failure = await identity().then(
        () => undefined,
        (error: AppError) => error.failure,
      );
      return {failure, received};
    }

    for (const host of ['127.0.0.1', '127.8.9.1', '[::1]', 'localhost', 'LOCALHOST'])
      test(`${host} gets it`, async () => {
        expect((await callAt(`http://${host}:7172`)).received).toHaveLength(1);
      });

    for (const host of ['192.0.2.1', '3221225985', '[2001:db8::1]', '[::ffff:192.0.2.1]', '0.0.0.0'])
      test(`${host} does not, but with allowPlainHttp`, async () => {
        const {failure, received} = await callAt(`http://${host}:7172`);
        expect(failure).toMatchObject({code: 'invalid-parameter', parameter: 'token'});
        expect(received).toEqual([]);
        expect((await callAt(`http://${host}:7172`, {allowPlainHttp: true})).received).toHaveLength(1);
      });

    test('a name is looked up, whatever a browser takes it for', async () => {
      for (const host of ['crew.invalid', 'localhost.invalid'])
        expect(await callAt(`http://${host}:7172`)).toMatchObject({
          received: [],
          failure: {code: 'service-unreachable'},
        });
    });

    test('with https every machine gets it, without a look-up', async () => {
      expect((await callAt('https://crew.invalid')).received).toHaveLength(1);
    });
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
        const secret = token.trim().slice(12) || 'no secret';
        expect(JSON.stringify([thrown, String(thrown)])).not.toContain(secret);
      }
    });
});
