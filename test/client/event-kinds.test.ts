import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, expectTypeOf, onTestFinished, test} from 'vitest';
import type {Crewroom} from '../../src/app/index.ts';
import {type Client, createClient, type DefaultEventKind, type Event, type EventKind} from '../../src/client/index.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {startPlugins} from '../support/plugin-service.ts';
import {makeTemporaryDirectory, useService} from '../support/service.ts';

const service = useService({ephemeral: true});

/** Follows events of these kinds, up to the last one, and causes them once the stream is connected. */
async function followThrough<K extends EventKind>(
  {events}: Client,
  {kinds, isLast}: {readonly kinds: readonly K[]; readonly isLast: (event: Event<unknown, K>) => boolean},
  cause: () => Promise<unknown>,
): Promise<readonly Event<unknown, K>[]> {
  const seen: Event<unknown, K>[] = [];
  let caused: Promise<unknown> | undefined;
  const onConnection = (): void => {
    caused ??= cause();
  };
  for await (const event of events({kinds, onConnection})) {
    seen.push(event);
    if (isLast(event)) break;
  }
  await caused;
  return seen;
}

describe('events of chosen kinds', () => {
  test('are only those', async () => {
    const client = createClient({baseUrl: service().url});
    const seen = await followThrough(
      client,
      {kinds: ['entry-deleted', 'reset'], isLast: event => 'key' in event && event.key === 'b'},
      async () => {
        for (const key of ['a', 'b']) {
          await client.entries.put(key, 1);
          await client.entries.delete(key);
        }
      },
    );
    expect(seen).toMatchObject([
      {kind: 'entry-deleted', key: 'a'},
      {kind: 'entry-deleted', key: 'b'},
    ]);
  });

  test('include states and lines of plugins, and their requests to the client', async () => {
    const shown = 'com.example.shown';
    const added = 'com.example.added';
    const {url, directory, crewroom} = await startPlugins(plugins => writePlugin(join(plugins, shown)));
    await crewroom.plugins.ready();
    const post = (path: string, body: object): Promise<Response> =>
      fetch(url + path, {method: 'POST', body: JSON.stringify(body), headers: {Referer: `${url}/plugins/${shown}/`}});
    const kinds = ['plugin-state', 'plugin-log', 'client-request'] as const;
    const seen = await followThrough(
      createClient({baseUrl: url}),
      {kinds, isLast: event => event.kind === 'plugin-state' && event.plugin === added},
      async () => {
        await post('/api/navigate', {pluginID: shown, payloadString: 'x'});
        await post('/api/play-sound', {url: 'https://a.example/a.wav'});
        await post('/api/stop-sound', {});
        await post('/api/log', {message: 'no luck', level: 'error'});
        await writePlugin(join(directory, added));
      },
    );
    // Reading the directory again also announces the state of the plugin that was there.
    const wanted = seen.filter(event => event.kind !== 'plugin-state' || event.plugin === added);
    expect(wanted.map(({cursor: _, ...event}) => event)).toEqual([
      {kind: 'client-request', action: 'navigate', plugin: shown, payload: 'x'},
      {kind: 'client-request', action: 'play-sound', url: 'https://a.example/a.wav'},
      {kind: 'client-request', action: 'stop-sound'},
      {kind: 'plugin-log', plugin: shown, loggedAtMs: expect.any(Number), level: 'error', text: 'no luck'},
      {kind: 'plugin-state', plugin: added, state: 'page-only'},
    ]);
  });

  test('include the state of the page of a plugin in development, which changes with its files', async () => {
    const home = await makeTemporaryDirectory();
    onTestFinished(() => home[Symbol.asyncDispose]());
    const work = join(home.path, 'work');
    const manifest = manifestOf('com.example.work');
    await writePlugin(work, {'plugin.json': manifest, 'ui/index.html': '', 'ui/page.js': ''});
    const {url, crewroom} = await startPlugins(async () => {}, {devPlugins: [work]});
    const [before] = crewroom.plugins.list();
    const [event] = await followThrough(
      createClient({baseUrl: url}),
      {kinds: ['plugin-state'], isLast: () => true},
      () => writeFile(join(work, 'ui/page.js'), 'changed'),
    );
    const {page} = (await (await fetch(`${url}/api/plugins/com.example.work`)).json()) as {readonly page: string};
    expect(event).toEqual({
      kind: 'plugin-state',
      plugin: 'com.example.work',
      state: 'page-only',
      page,
      cursor: expect.any(String),
    });
    expect(page).not.toBe(before?.page);
  });

  for (const [door, open] of [
    ['the client', () => createClient()],
    ['a program that embeds the service', () => service().crewroom],
  ] as const)
    test(`have the types of these kinds in ${door}`, () => {
      const {events}: Pick<Client | Crewroom, 'events'> = open();
      const typeOf = <E>(_: AsyncIterable<E>) => expectTypeOf<E>();
      typeOf(events({kinds: ['client-request', 'plugin-log']})).toEqualTypeOf<
        Event<unknown, 'client-request' | 'plugin-log'>
      >();
      typeOf(events({kinds: ['entry-deleted', 'reset']})).toEqualTypeOf<Event<unknown, 'entry-deleted' | 'reset'>>();
      typeOf(events<number, 'entry-written'>({kinds: ['entry-written']})).toEqualTypeOf<
        Event<number, 'entry-written'>
      >();
      typeOf(events<number>()).toEqualTypeOf<Event<number, DefaultEventKind>>();
      // @ts-expect-error There is no such kind.
      expect(() => events({kinds: ['entry-locked']})).not.toThrow();
    });
});
