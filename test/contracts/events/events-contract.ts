import assert from 'node:assert/strict';
import type {Event, SubscribeOptions} from '../../../src/domain/commits/event.ts';
import type {TypedEntries} from '../../../src/domain/entries/typed-entries.ts';
import {type Contract, type ContractPart, runContract} from '../../../src/testing/shared/contract.ts';

/** Events one by one, with the entries that they are about. */
export interface OpenedEvents extends AsyncDisposable {
  readonly entries: TypedEntries;
  /** Subscribes to events. The subscription is complete when the first event is requested, or before. */
  events(options: Pick<SubscribeOptions, 'prefix' | 'since' | 'initial' | 'signal'>): AsyncIterable<Event>;
}

/** Events to test. */
export type EventsContract = Contract<OpenedEvents>;

/** Tests what the `Events` port promises to a subscriber, in the same process or over a network. */
export function testEvents(contract: EventsContract): void {
  runContract(contract, [EVENTS]);
}

const EVENTS: ContractPart<OpenedEvents> = {
  name: 'events',
  tests: [
    {
      name: 'come in the order of the commits, from a cursor on',
      async run({entries, events}) {
        const {revision} = await entries.put('before', '0');
        await entries.put('a', '1.0');
        await entries.put('b', '2', {ttlSeconds: 60});
        await entries.delete('a');
        const [a, b, deleted] = await take(events({since: revision}), 3);
        assert.deepEqual(describe(a), ['entry-written', 'a', revision + 1, '1.0']);
        assert.deepEqual(describe(b), ['entry-written', 'b', revision + 2, '2']);
        assert.equal(b?.kind === 'entry-written' && typeof b.expiresAtMs, 'number');
        assert.deepEqual(describe(deleted), ['entry-deleted', 'a', revision + 3, undefined]);
      },
    },
    {
      name: 'of one commit have one revision, and come together',
      async run({entries, events}) {
        const {revision} = await entries.put('a', '0');
        const operations = ['a', 'b', 'c'].map(key => ({kind: 'put' as const, key, json: '1'}));
        await entries.transact({operations});
        const taken = await take(events({since: revision}), 3);
        assert.deepEqual(
          taken.map(event => describe(event).slice(1, 3)),
          ['a', 'b', 'c'].map(key => [key, revision + 1]),
        );
      },
    },
    {
      name: 'are those of the keys with the prefix',
      async run({entries, events}) {
        const {revision} = await entries.put('first', '0');
        for (const key of ['a', 'a/b', 'b', 'a/c']) await entries.put(key, '1');
        const taken = await take(events({since: revision, prefix: 'a/'}), 2);
        assert.deepEqual(
          taken.map(event => describe(event)[1]),
          ['a/b', 'a/c'],
        );
      },
    },
    {
      name: 'begin with the entries that are present, if this is asked for',
      async run({entries, events}) {
        await entries.put('k/a', '1');
        await entries.put('k/b', '2');
        await entries.put('k/a', '3');
        const iterator = events({prefix: 'k/', initial: true})[Symbol.asyncIterator]();
        const present = [await iterator.next(), await iterator.next()].map(({value}) => describe(value).slice(1));
        assert.deepEqual(present, [
          ['k/a', 3, '3'],
          ['k/b', 2, '2'],
        ]);
        await entries.put('k/c', '4');
        assert.deepEqual(describe((await iterator.next()).value), ['entry-written', 'k/c', 4, '4']);
        await iterator.return?.();
      },
    },
    {
      name: 'end with the signal, without an error',
      async run({entries, events}) {
        const {revision} = await entries.put('a', '1');
        await entries.put('a', '2');
        const ended = new AbortController();
        const taken: Event[] = [];
        for await (const event of events({since: revision, signal: ended.signal})) {
          taken.push(event);
          ended.abort();
        }
        assert.equal(taken.length, 1);
      },
    },
    {
      name: 'refuse a cursor that the store has not reached',
      async run({events}) {
        const iterator = events({since: 1_000_000})[Symbol.asyncIterator]();
        await assert.rejects(iterator.next(), (error: {readonly failure?: {readonly code: string}}) => {
          assert.equal(error.failure?.code, 'invalid-parameter');
          return true;
        });
      },
    },
  ],
};

/** The kind of an event, its key, its revision and the text of its value. */
function describe(event: Event | undefined): readonly unknown[] {
  if (event === undefined || !('revision' in event)) return [event?.kind];
  const json = event.kind === 'entry-written' ? event.json : undefined;
  const text = json === undefined ? undefined : new TextDecoder().decode(json);
  return [event.kind, 'key' in event ? event.key : undefined, event.revision, text];
}

async function take(events: AsyncIterable<Event>, count: number): Promise<readonly Event[]> {
  const taken: Event[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}
