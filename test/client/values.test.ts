import * as v from 'valibot';
import {expect, test} from 'vitest';
import {createClient, type StandardSchema} from '../../src/client/index.ts';
import {createService} from '../../src/client/service/index.ts';
import {listAll} from '../../src/core/domain/entries/list-all.ts';
import {useService} from '../support/service.ts';

const service = useService({ephemeral: true});
const connect = () => createClient({baseUrl: service().url});

const Settings = v.object({
  volume: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
  names: v.optional(v.array(v.string()), []),
});

test('a value is returned parsed, and as the text that was written', async () => {
  const {entries} = connect();
  const text = '{"id": 9007199254740993, "volume": 1.0}';
  await entries.put('typed/exact', Buffer.from(text));
  const entry = await entries.get<{id: number; volume: number}>('typed/exact');
  expect(entry?.value).toEqual({id: 9007199254740992, volume: 1});
  expect(entry?.text).toBe(text);
  expect(entry && {...entry}).toMatchObject({text, value: {volume: 1}});
});

test('a schema validates a value, and its output is returned', async () => {
  const {entries} = connect();
  await entries.put('typed/settings', {volume: 0.5, ignored: true});
  const entry = await entries.get('typed/settings', {schema: Settings});
  // The type comes from the schema.
  const names: readonly string[] | undefined = entry?.value.names;
  expect([entry?.value, names]).toEqual([{volume: 0.5, names: []}, []]);
  expect(entry?.text).toBe('{"volume":0.5,"ignored":true}');
  expect(await entries.get('typed/absent', {schema: Settings})).toBeUndefined();
});

test('a value that does not match the schema is a failure with the place of each problem', async () => {
  const {entries} = connect();
  await entries.put('typed/wrong', {volume: 7, names: ['a', 1], 'odd name': 1});
  const problems = [
    {path: '$.volume', problem: expect.stringContaining('<=1')},
    {path: '$.names[1]', problem: expect.stringContaining('string')},
  ];
  const failure = {code: 'invalid-value', key: 'typed/wrong', problems};
  await expect(entries.get('typed/wrong', {schema: Settings})).rejects.toMatchObject({name: 'AppError', failure});
  const values = {prefix: 'typed/wrong', values: true, schema: Settings} as const;
  await expect(entries.list(values)).rejects.toMatchObject({failure});
  await expect(entries.listAll(values)[Symbol.asyncIterator]().next()).rejects.toMatchObject({failure});
});

test('a schema may be asynchronous, and name places in each form of the specification', async () => {
  const {entries} = connect();
  await entries.put('typed/slow', 1);
  const schema = (
    result: Awaited<ReturnType<StandardSchema<string>['~standard']['validate']>>,
  ): StandardSchema<string> => ({
    '~standard': {version: 1, vendor: 'test', validate: async () => result},
  });
  const entry = await entries.get('typed/slow', {schema: schema({value: 'one'})});
  expect(entry?.value.toUpperCase()).toBe('ONE');
  const issues = [{message: 'is wrong'}, {message: 'is odd', path: ['a', {key: 0}, {key: 'b c'}, Symbol('d')]}];
  await expect(entries.get('typed/slow', {schema: schema({issues})})).rejects.toThrow(
    'Cannot use the value of "typed/slow": it is wrong; $.a[0]["b c"]["Symbol(d)"] is odd',
  );
});

const circle: unknown[] = [];
circle.push(circle);
const withoutText = [
  {name: 'undefined', value: undefined},
  {name: 'a function', value: () => {}},
  {name: 'a BigInt', value: 1n},
  {name: 'a circle', value: circle},
];
for (const {name, value} of withoutText) {
  test(`${name} has no JSON text, and is not stored`, async () => {
    const {entries} = connect();
    await expect(entries.put('typed/none', value)).rejects.toMatchObject({
      failure: {code: 'invalid-value', key: 'typed/none', problems: [{path: '$'}]},
    });
    expect(await entries.get('typed/none')).toBeUndefined();
  });
}

test('a value is stored under the conditions of a put', async () => {
  const {entries} = connect();
  const {revision} = await entries.put('typed/conditions', 'a', {expected: 'absent', ttlSeconds: 60});
  await expect(entries.put('typed/conditions', 'b', {expected: 'absent'})).rejects.toMatchObject({
    failure: {code: 'revision-conflict'},
  });
  const entry = await entries.get<string>('typed/conditions');
  expect([entry?.value, entry?.revision, entry?.expiresAtMs !== undefined]).toEqual(['a', revision, true]);
});

test('entries are listed page by page, embedded and over HTTP, and only as far as the caller iterates', async () => {
  const keys = Array.from({length: 25}, (_, index) => `all/${String(index).padStart(2, '0')}`);
  await service().crewroom.entries.transact({
    operations: keys.map((key, index) => ({kind: 'put', key, value: Buffer.from(`${index}.0`)})),
  });
  const paths: string[] = [];
  const {entries} = createClient({
    baseUrl: service().url,
    fetch: request => {
      paths.push(request.url);
      return fetch(request);
    },
  });
  const listed: (readonly [string, number, string])[] = [];
  for await (const {key, value, text} of entries.listAll<number>({prefix: 'all/', values: true, pageLimit: 10}))
    listed.push([key, value, text]);
  expect(listed).toEqual(keys.map((key, index) => [key, index, `${index}.0`]));
  expect(paths).toHaveLength(3);
  for await (const {key} of entries.listAll({prefix: 'all/', reverse: true, after: 'all/20', pageLimit: 10})) {
    expect(key).toBe('all/19');
    break;
  }
  expect(paths).toHaveLength(4);
  const embedded: string[] = [];
  for await (const {key} of listAll(service().crewroom.entries, {prefix: 'all/', pageLimit: 10})) embedded.push(key);
  expect(embedded).toEqual(keys);
});

test('every call ends with its signal, with the reason of the signal, and with its timeout', async () => {
  // A service that never answers.
  const options = {baseUrl: service().url, fetch: () => new Promise<never>(() => {})};
  const client = createClient(options);
  const {entries} = client;
  const {about, readiness, sessions} = createService(options);
  const calls: readonly ((call: {signal?: AbortSignal; timeoutMs?: number}) => Promise<unknown>)[] = [
    call => client.identity(call),
    call => about(call),
    call => readiness(call),
    call => sessions.status(call),
    call => sessions.signIn({username: 'a', password: 'b'}, call),
    call => sessions.verify(call),
    call => sessions.signOut(call),
    call => entries.get('k', call),
    call => entries.put('k', 1, call),
    call => entries.put('k', 1, call),
    call => entries.patch('k', 1, call),
    call => entries.touch('k', 1, call),
    call => entries.delete('k', call),
    call => entries.transact({operations: []}, call),
    call => entries.list(call),
    call => entries.listAll(call)[Symbol.asyncIterator]().next(),
    call => entries.deleteRange({prefix: 'k', ...call}),
  ];
  for (const call of calls) {
    const reason = new Error('changed my mind');
    await expect(call({signal: AbortSignal.abort(reason)}), String(call)).rejects.toBe(reason);
    const controller = new AbortController();
    const ending = call({signal: controller.signal});
    controller.abort(reason);
    await expect(ending, String(call)).rejects.toBe(reason);
    await expect(call({timeoutMs: 1}), String(call)).rejects.toMatchObject({
      failure: {code: 'service-timeout', timeoutMs: 1},
    });
  }
});
