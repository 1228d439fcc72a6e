import assert from 'node:assert/strict';
import type {Crewroom} from '../../../src/app/crewroom.ts';
import type {Event, EventKind, EventStream} from '../../../src/core/domain/commits/event.ts';
import type {Entries, Written} from '../../../src/core/domain/entries/entries.ts';
import {type Contract, type ContractPart, runContract} from '../../../src/workbench/testing/shared/contract.ts';

/** Events one by one, with the entries that they are about. */
export interface OpenedEvents extends AsyncDisposable {
  readonly entries: Entries;
  readonly events: Crewroom['events'];
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
      name: 'of an unknown option are refused',
      async run({events}) {
        const misspelt = {perfix: 'a'} as {readonly prefix?: string};
        await assert.rejects(
          async () => events(misspelt)[Symbol.asyncIterator]().next(),
          /no such parameter; it has .*\bprefix\b/,
        );
      },
    },
    {
      name: 'come in the order of the commits, from a cursor on',
      async run({entries, events}) {
        const {revision} = await entries.put('before', 0);
        await entries.put('a', Buffer.from('1.0'));
        await entries.put('b', 2, {ttlSeconds: 60});
        await entries.delete('a');
        const [a, b, deleted] = await take(events({after: revision}), 3);
        assert.deepEqual(describe(a), ['entry-written', 'a', revision + 1, '1.0']);
        assert.deepEqual(describe(b), ['entry-written', 'b', revision + 2, '2']);
        assert.equal(b?.kind === 'entry-written' && typeof b.expiresAtMs, 'number');
        assert.deepEqual(describe(deleted), ['entry-deleted', 'a', revision + 3, undefined]);
      },
    },
    {
      name: 'have the value in each form, and the etag, which a write may expect',
      async run({entries, events}) {
        const {revision} = await entries.put('before', 0);
        const written = await entries.put('a', Buffer.from('[1.0]'));
        const large = await entries.put('large', 'x'.repeat(70_000));
        const [present] = await take(events({prefix: 'a', initial: true}), 1);
        assert.equal(present?.kind === 'entry-written' && present.etag, written.etag);
        await entries.delete('a', {expected: written.etag});
        const taken = await take(events({after: revision}), 3);
        const end = taken[2]?.cursor;
        const at = (change: Pick<Written, 'revision' | 'etag'>, key: string) => {
          const {etag} = change;
          return {key, revision: change.revision, etag, cursor: etag.slice(1, -1)};
        };
        const forms = {json: new Uint8Array(Buffer.from('[1.0]')), text: '[1.0]', value: [1]};
        assert.deepEqual(
          taken.map(event => ({...event})),
          [
            {kind: 'entry-written', ...at(written, 'a'), sizeBytes: 5, ...forms},
            {kind: 'entry-written', ...at(large, 'large'), sizeBytes: 70_002},
            {kind: 'entry-deleted', ...at({revision: revision + 3, etag: `"${end}"`}, 'a')},
          ],
        );
      },
    },
    {
      name: 'are of the kinds that are asked for',
      async run({entries, events}) {
        const {revision} = await entries.put('a', 0);
        await entries.delete('a');
        await entries.put('b', 0);
        await entries.delete('b');
        const taken = await take(events({after: revision, kinds: ['entry-deleted', 'reset']}), 2);
        assert.deepEqual(taken.map(describe), [
          ['entry-deleted', 'a', revision + 1, undefined],
          ['entry-deleted', 'b', revision + 3, undefined],
        ]);
      },
    },
    {
      name: 'of no kind, or of an unknown one, are refused',
      async run({events}) {
        for (const kinds of [['entry-locked'], []]) {
          const iterator = events({kinds: kinds as EventKind[]})[Symbol.asyncIterator]();
          await assert.rejects(iterator.next(), isInvalid('kinds'));
        }
      },
    },
    {
      name: 'all come to a program that is slow',
      async run({entries, events}) {
        const {revision} = await entries.put('first', 0);
        await entries.put('second', 0);
        const stream = events({after: revision});
        const iterator = stream[Symbol.asyncIterator]();
        assert.deepEqual(describe((await iterator.next()).value)[1], 'second');
        const next = iterator.next();
        const keys = Array.from({length: 4}, (_, commit) =>
          Array.from({length: 1000}, (_, index) => `slow/${commit}-${index}`),
        );
        for (const ofCommit of keys)
          await entries.transact({operations: ofCommit.map(key => ({kind: 'put', key, value: 1}))});
        const taken = [(await next).value];
        while (taken.length < 4000) taken.push((await iterator.next()).value);
        assert.deepEqual(
          taken.map(event => describe(event)[1]),
          keys.flat(),
        );
        assert.equal(stream.cursor, taken.at(-1)?.cursor);
        await iterator.return?.();
      },
    },
    {
      name: 'end when they are no longer wanted, also while one is waited for',
      async run({entries, events}) {
        await entries.put('a', 1);
        const iterator = events({initial: true})[Symbol.asyncIterator]();
        await iterator.next();
        await iterator.next();
        const waiting = iterator.next();
        await iterator.return?.();
        assert.deepEqual(await waiting, {done: true, value: undefined});
      },
    },
    {
      name: 'move the cursor of their stream, which begins where it was told to',
      async run({entries, events}) {
        const {revision} = await entries.put('a', 1);
        const stream = events({initial: true});
        assert.equal(stream.cursor, undefined);
        const [present, ended] = await take(stream, 2);
        assert.deepEqual([present?.kind, stream.cursor], ['entry-written', ended?.cursor]);
        const {etag} = await entries.put('b', 1);
        const next = events({after: stream.cursor});
        assert.equal(next.cursor, ended?.cursor);
        await take(next, 1);
        assert.equal(next.cursor, etag.slice(1, -1));
        assert.match(events({after: revision}).cursor ?? '', new RegExp(`^([0-9a-z]+-)?${revision}$`));
      },
    },
    {
      name: 'of one commit have one revision, and come together',
      async run({entries, events}) {
        const {revision} = await entries.put('a', 0);
        const operations = ['a', 'b', 'c'].map(key => ({kind: 'put' as const, key, value: 1}));
        await entries.transact({operations});
        const taken = await take(events({after: revision}), 3);
        assert.deepEqual(
          taken.map(event => describe(event).slice(1, 3)),
          ['a', 'b', 'c'].map(key => [key, revision + 1]),
        );
      },
    },
    {
      name: 'are those of the keys with the prefix',
      async run({entries, events}) {
        const {revision} = await entries.put('first', 0);
        for (const key of ['a', 'a/b', 'b', 'a/c']) await entries.put(key, 1);
        const taken = await take(events({after: revision, prefix: 'a/'}), 2);
        assert.deepEqual(
          taken.map(event => describe(event)[1]),
          ['a/b', 'a/c'],
        );
      },
    },
    {
      name: 'begin with the entries that are present, if this is asked for',
      async run({entries, events}) {
        await entries.put('k/a', 1);
        await entries.put('k/b', 2);
        await entries.put('k/a', 3);
        const iterator = events({prefix: 'k/', initial: true})[Symbol.asyncIterator]();
        const present = [await iterator.next(), await iterator.next(), await iterator.next()];
        assert.deepEqual(
          present.map(({value}) => describe(value)),
          [
            ['entry-written', 'k/a', 3, '3'],
            ['entry-written', 'k/b', 2, '2'],
            ['initial-ended', undefined, 3, undefined],
          ],
        );
        await entries.put('k/c', 4);
        assert.deepEqual(describe((await iterator.next()).value), ['entry-written', 'k/c', 4, '4']);
        await iterator.return?.();
      },
    },
    {
      name: 'say that the entries that are present have ended, also if there are none',
      async run({events}) {
        assert.deepEqual((await take(events({prefix: 'none/', initial: true}), 1)).map(describe), [
          ['initial-ended', undefined, 0, undefined],
        ]);
      },
    },
    {
      name: 'have a cursor, from which the commits after it come whole and once',
      async run({entries, events}) {
        const {revision} = await entries.put('before', 0);
        await entries.put('a', 1);
        const operations = ['b', 'x', 'c', 'd', 'y'].map(key => ({kind: 'put' as const, key, value: 2}));
        await entries.transact({operations});
        await entries.put('e', 3);
        const all = await take(events({after: revision}), 7);
        const keysFrom = async (cursor: string | undefined, count: number, prefix = '') =>
          (await take(events({after: cursor, prefix}), count)).map(event => describe(event)[1]);
        assert.deepEqual(await keysFrom(all[0]?.cursor, 6), ['b', 'x', 'c', 'd', 'y', 'e']);
        for (const event of all.slice(1, 5))
          assert.deepEqual(await keysFrom(event.cursor, 6), ['b', 'x', 'c', 'd', 'y', 'e']);
        assert.deepEqual(await keysFrom(all[5]?.cursor, 1), ['e']);
        // The last event of the prefix is not the last of its commit.
        await entries.put('c', 4);
        const [first, second] = await take(events({after: revision, prefix: 'c'}), 2);
        assert.deepEqual(await keysFrom(first?.cursor, 1, 'c'), ['c']);
        assert.equal((await take(events({after: first?.cursor, prefix: 'c'}), 1))[0]?.cursor, second?.cursor);
      },
    },
    {
      name: 'start over from the cursor of an entry that was present',
      async run({entries, events}) {
        await entries.put('a', 1);
        await entries.put('b', 1);
        const [first] = await take(events({initial: true}), 1);
        const kinds = (await take(events({initial: true, after: first?.cursor}), 4)).map(({kind}) => kind);
        assert.deepEqual(kinds, ['reset', 'entry-written', 'entry-written', 'initial-ended']);
      },
    },
    {
      name: 'end with the signal, without an error',
      async run({entries, events}) {
        const {revision} = await entries.put('a', 1);
        await entries.put('a', 2);
        const ended = new AbortController();
        const taken: AnyEvent[] = [];
        for await (const event of events({after: revision, signal: ended.signal})) {
          taken.push(event);
          ended.abort();
        }
        assert.equal(taken.length, 1);
      },
    },
    {
      name: 'refuse a cursor that the store has not reached',
      async run({events}) {
        const iterator = events({after: 1_000_000})[Symbol.asyncIterator]();
        await assert.rejects(iterator.next(), isInvalid('after'));
      },
    },
  ],
};

type AnyEvent = Event;

/** The kind of an event, its key, its revision and the text of its value. */
function describe(event: AnyEvent | undefined): readonly unknown[] {
  if (event === undefined || !('revision' in event)) return [event?.kind];
  const text = event.kind === 'entry-written' ? event.text : undefined;
  return [event.kind, 'key' in event ? event.key : undefined, event.revision, text];
}

/** Expects a failure because of a parameter. */
function isInvalid(parameter: string): (error: unknown) => boolean {
  return error => {
    const {failure} = error as {readonly failure?: {readonly code: string; readonly parameter?: string}};
    assert.deepEqual([failure?.code, failure?.parameter], ['invalid-parameter', parameter]);
    return true;
  };
}

async function take(events: EventStream<unknown, EventKind>, count: number): Promise<readonly AnyEvent[]> {
  const taken: AnyEvent[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}
