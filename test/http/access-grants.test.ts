import {once} from 'node:events';
import {readFile, stat, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {WebSocket} from 'ws';
import {bearer, createToken} from '../support/access-tokens.ts';
import {openEventStream} from '../support/event-stream.ts';
import {readOwnerToken} from '../support/owner-file.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {startPlugins} from '../support/plugin-service.ts';
import {callService, makeTemporaryDirectory, startService, type TestService} from '../support/service.ts';

const [A, B] = ['com.a', 'com.b'];

/** Starts a service with the pages of two plugins. */
async function startPages(): Promise<TestService> {
  return startPlugins(
    async directory => {
      for (const id of [A, B])
        await writePlugin(join(directory, id), {'plugin.json': manifestOf(id), 'ui/index.html': '<p>A page'});
    },
    {ephemeral: true, access: 'attributed'},
  );
}

/** Returns the origin of the page of a plugin. */
function originOf({crewroom, port}: TestService, id: string): string {
  const label = crewroom.plugins.list().find(each => each.id === id)?.label;
  return `http://${label}.crewroom.localhost:${port}`;
}

function callAsOwner(service: TestService, line: string, body?: string) {
  return readOwnerToken(service).then(token => callService(service, line, {headers: [bearer(token)], body}));
}

function grant(service: TestService, plugin: string, ...permissions: readonly string[]) {
  return callAsOwner(service, 'POST /api/access/grants', JSON.stringify({plugin, permissions}));
}

describe('a permission of a plugin', () => {
  test('applies to its page at once, until it is taken back, and to no other plugin', async () => {
    const service = await startPages();
    const read = async (id: string) => {
      const headers = [`Origin: ${originOf(service, id)}`];
      const {json} = await callService(service, 'GET /api/identity', {headers});
      return 'session' in Object(json['va_user']);
    };
    expect([await read(A), await read(B)]).toEqual([false, false]);
    const granted = await grant(service, A, 'identity:secrets');
    expect([granted.status, granted.json]).toEqual([200, {grants: [{plugin: A, permissions: ['identity:secrets']}]}]);
    expect([await read(A), await read(B)]).toEqual([true, false]);
    const revoked = await callAsOwner(service, `DELETE /api/access/grants/${A}?permission=identity:secrets`);
    expect([revoked.status, revoked.json]).toEqual([200, {grants: []}]);
    expect([await read(A), await read(B)]).toEqual([false, false]);
  });

  test('is named with the command that gives it, if the plugin lacks it', async () => {
    const service = await startPages();
    const headers = [`Origin: ${originOf(service, A)}`];
    const refused = await callService(service, 'GET /api/store/com.b%2Fx', {headers});
    expect([refused.status, refused.json]).toEqual([
      403,
      expect.objectContaining({
        ...{code: 'permission-required', permission: 'entries:read:com.b/', principal: 'plugin:com.a'},
        advice: expect.stringContaining('"crewroom access grant com.a entries:read:com.b/"'),
      }),
    ]);
    await grant(service, A, 'entries:read:com.b/');
    expect((await callService(service, 'GET /api/store/com.b%2Fx', {headers})).status).toBe(404);
    expect((await callService(service, 'PUT /api/store/com.b%2Fx', {headers, body: '1'})).status).toBe(403);
  });

  test('that is taken back ends streams, WebSockets and waiting polls of this plugin', async () => {
    const service = await startPages();
    await grant(service, A, 'entries:read:com.b/');
    await grant(service, B, 'entries:read:com.a/');
    const [Origin, other] = [originOf(service, A), originOf(service, B)];
    await using stream = await openEventStream(`${service.url}/api/events?prefix=com.b/`, {headers: {Origin}});
    await using staying = await openEventStream(`${service.url}/api/events?prefix=com.a/`, {headers: {Origin: other}});
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/api/events?prefix=com.b/`, {origin: Origin});
    onTestFinished(() => socket.terminate());
    await once(socket, 'open');
    const closed = once(socket, 'close');
    const polls = ['com.b/', 'com.a/'].map(prefix =>
      callService(service, `GET /api/events?prefix=${prefix}&waitSeconds=20`, {headers: [`Origin: ${Origin}`]}),
    );
    const metrics = async () => (await callAsOwner(service, 'GET /metrics')).body.toString();
    await expect.poll(metrics, {timeout: 10_000}).toContain('crewroom_events_subscribers 5');
    await callAsOwner(service, `DELETE /api/access/grants/${A}`);
    expect([[], 'terminated']).toContainEqual(await stream.end().catch((error: Error) => error.message));
    await closed;
    await service.crewroom.entries.put('com.a/x', 1);
    const [refused, permitted] = await Promise.all(polls);
    expect([refused?.status, refused?.json['code']]).toEqual([403, 'permission-required']);
    expect(permitted?.status).toBe(200);
    expect((await staying.next()).type).toBe('entry-written');
  });
});

test('a waiting poll of events of plugins is refused once its plugin may no longer manage plugins', async () => {
  const service = await startPages();
  await grant(service, A, 'plugins:manage');
  const headers = [`Origin: ${originOf(service, A)}`];
  const poll = callService(service, 'GET /api/events?prefix=com.a/&kinds=plugin-state&waitSeconds=20', {headers});
  const metrics = async () => (await callAsOwner(service, 'GET /metrics')).body.toString();
  await expect.poll(metrics, {timeout: 10_000}).toContain('crewroom_events_subscribers 1');
  await callAsOwner(service, `DELETE /api/access/grants/${A}`);
  const {status, json} = await poll;
  expect([status, json['code'], json['permission']]).toEqual([403, 'permission-required', 'plugins:manage']);
});

describe('/api/access/grants', () => {
  test('is for the token of the owner only', async () => {
    const service = await startPages();
    await grant(service, A, 'admin');
    const callers = [
      [],
      [bearer(await createToken(service, ['admin']))],
      [`Origin: ${originOf(service, A)}`],
      [`Origin: http://localhost:${service.port}`],
    ];
    for (const headers of callers)
      for (const line of ['GET /api/access/grants', 'POST /api/access/grants', 'DELETE /api/access/grants/com.a']) {
        const {status, json} = await callService(service, line, {headers, body: '{"plugin":"com.b"}'});
        const isPlugin = headers[0]?.includes('.crewroom.localhost') === true;
        expect([status, json['code']], `${line} ${headers}`).toEqual(
          isPlugin ? [403, 'foreign-page'] : [401, 'owner-required'],
        );
      }
    expect((await callAsOwner(service, 'GET /api/access/grants')).json).toEqual({
      grants: [{plugin: A, permissions: ['admin']}],
    });
  });

  const refused = [
    {body: '{}', paths: ['$.plugin', '$.permissions']},
    {body: '{"plugin": "com.a", "permissions": ["root"]}', paths: ['$.permissions[0]']},
    {body: '{"plugin": "com.a", "permissions": [1]}', paths: ['$.permissions[0]']},
    {body: '{"plugin": "a/b", "permissions": ["admin"], "all": true}', paths: ['$.all']},
  ];
  test('refuses what is no request, with the path of each problem', async () => {
    const service = await startPages();
    for (const {body, paths} of refused) {
      const {status, json} = await callAsOwner(service, 'POST /api/access/grants', body);
      expect([status, json]).toEqual([
        422,
        expect.objectContaining({
          code: 'invalid-body',
          what: 'grant',
          problems: paths.map(path => expect.objectContaining({path})),
        }),
      ]);
    }
    const absent = await callAsOwner(service, 'DELETE /api/access/grants/com.a?permission=admin');
    expect([absent.status, absent.json]).toEqual([
      404,
      expect.objectContaining({code: 'no-grant', plugin: A, permission: 'admin'}),
    ]);
  });
});

describe('the file with the permissions', () => {
  const fileOf = (dataDir: string): string => join(dataDir, 'access-rules.json');

  /** Starts a service, gives a permission and stops it. */
  async function keep(): Promise<string> {
    const home = await makeTemporaryDirectory();
    onTestFinished(() => home[Symbol.asyncDispose]());
    const dataDir = join(home.path, 'data');
    await using service = await startService({dataDir});
    await grant(service, A, 'identity:secrets', 'entries:read:com.b/');
    return dataDir;
  }

  test('keeps them over a restart, for this user only', async () => {
    const dataDir = await keep();
    expect((await stat(fileOf(dataDir))).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);
    await using service = await startService({dataDir});
    expect((await callAsOwner(service, 'GET /api/access/grants')).json).toEqual({
      grants: [{plugin: A, permissions: ['identity:secrets', 'entries:read:com.b/']}],
    });
  });

  const edits: readonly {readonly name: string; readonly text: string; readonly problem: RegExp}[] = [
    {name: 'nothing', text: '', problem: /JSON/},
    {name: 'nonsense', text: 'everything for com.a', problem: /JSON/},
    {name: 'half of it', text: '{"grants": [{"plugin": "com.a", "perm', problem: /JSON/},
    {
      name: 'another document',
      text: '{"tokens": []}',
      problem: /it needs "format": "crewroom-access-rules" and "version"/,
    },
    {name: 'a list', text: '[]', problem: /it needs "format"/},
    {name: 'null', text: 'null', problem: /it needs "format"/},
    {
      name: 'one text in place of a list',
      text: fileText([{plugin: 'com.a', permissions: 'admin'}]),
      problem: /has to be an array/,
    },
    {name: 'an unknown permission', text: rules('com.a', 'root'), problem: /"root" is not one of/},
    {name: 'half a prefix', text: rules('com.a', 'entries:read:com.b'), problem: /does not end in "\/"/},
    {name: 'a pattern', text: rules('com.*', 'admin'), problem: /"com\.\*" is not the id of a plugin/},
    {
      name: 'a plugin twice',
      text: fileText([
        {plugin: 'com.a', permissions: ['admin']},
        {plugin: 'com.a', permissions: []},
      ]),
      problem: /it has a plugin twice/,
    },
    {
      name: 'a member with a typing error',
      text: fileText([], {mode: 'strict'}),
      problem: /\$\.mode is not known here/,
    },
    {
      name: 'a rule that there is not',
      text: fileText([{plugin: 'com.a', permissions: ['admin'], until: '2027'}]),
      problem: /\$\.grants\[0\]\.until is not known here/,
    },
  ];
  test('keeps the service from starting if it was edited into anything else, and is left as it is', async () => {
    const dataDir = await keep();
    for (const {name, text, problem} of edits) {
      await writeFile(fileOf(dataDir), text);
      for (const access of ['open', 'strict'] as const)
        await expect(startService({dataDir, access}), name).rejects.toMatchObject({
          failure: {code: 'invalid-rules-file', file: fileOf(dataDir), problem: expect.stringMatching(problem)},
        });
      expect(await readFile(fileOf(dataDir), 'utf8')).toBe(text);
    }
  });

  test('is read after an edit that it understands', async () => {
    const dataDir = await keep();
    await writeFile(fileOf(dataDir), rules('com.b', 'admin'));
    await using service = await startService({dataDir});
    const {json} = await callAsOwner(service, 'GET /api/access/grants');
    expect(json).toEqual({grants: [{plugin: B, permissions: ['admin']}]});
  });
});

function rules(plugin: string, permission: string): string {
  return fileText([{plugin, permissions: [permission]}]);
}

function fileText(grants: readonly object[], others: object = {}): string {
  return JSON.stringify({format: 'crewroom-access-rules', version: 1, grants, ...others});
}
