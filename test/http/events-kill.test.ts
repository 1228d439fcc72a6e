import assert from 'node:assert/strict';
import {isDeepStrictEqual} from 'node:util';
import fc from 'fast-check';
import {beforeAll, describe, onTestFinished, test} from 'vitest';
import {encodeJsonText} from '../../src/domain/json-text.ts';
import {parseKey} from '../../src/domain/key.ts';
import {SILENT_LOG} from '../../src/domain/log.ts';
import {createEventHub} from '../../src/events/event-hub.ts';
import {createMachine, type Machine, type Service} from '../cli/crewroom.ts';
import {makeDirectory, openStore} from '../store/fixture.ts';
import {openEventStream, type StreamedEvent} from '../support/event-stream.ts';

const ROUNDS = 5;
const WRITERS = ['a', 'b', 'c', 'd'];

let machine: Machine;
beforeAll(async () => {
  machine = await createMachine();
});

describe('subscribers of a service that is killed again and again', () => {
  test(`miss nothing, get nothing twice and everything in order, in ${ROUNDS} rounds`, async () => {
    const directory = await makeDirectory();
    const ledger = new Ledger();
    const everything = new Follower('', 'since=0');
    const filtered = WRITERS.map(writer => new Follower(`${writer}/`, 'since=0'));
    // These start with what is present, and so with what was deleted before they came.
    const late = new Follower('a/', 'initial=true');
    const followers = [everything, ...filtered, late];
    for (const acknowledgements of fc.sample(fc.integer({min: 5, max: 120}), ROUNDS)) {
      const service = await start(directory);
      const following = followers.map(each => each.follow(service.url, {breaks: true}));
      await ledger.writeUntil(service, acknowledgements);
      await Promise.all(following);
    }
    const service = await start(directory);
    const {revision, entries} = await readAll(service);
    const following = followers.map(each => each.follow(service.url, {until: revision}));
    await Promise.all(following);
    await service.stop();

    everything.assertWithoutGaps(revision);
    ledger.compare(everything.events);
    for (const each of filtered)
      assert.deepEqual(
        each.events,
        everything.events.filter(({key}) => key.startsWith(each.prefix)),
      );
    late.assertEndOf(everything);
    assert.deepEqual(everything.present(), entries);
  });

  test('get a reset for a cursor that is too old, and can begin with what is present', async () => {
    const directory = await makeDirectory();
    const json = encodeJsonText('1');
    const before = await openStore(directory, {logChangesMax: 5});
    for (let count = 0; count < 30; count++)
      await before.commit({checks: [], operations: [{kind: 'put', key: parseKey(`k${count % 3}`), json}]});
    await before[Symbol.asyncDispose]();
    const store = await openStore(directory, {logChangesMax: 5});
    const hub = createEventHub({store, identity: {onChange: () => () => {}}, log: SILENT_LOG});
    onTestFinished(() => hub[Symbol.asyncDispose]());
    const kinds: string[] = [];
    for await (const {events, cursor} of hub.subscribe({since: 3, initial: true})) {
      kinds.push(...events.map(({kind}) => kind));
      if (cursor === 30) break;
    }
    assert.deepEqual(kinds, ['reset', 'entry-written', 'entry-written', 'entry-written']);
  });
});

function start(directory: string): Promise<Service> {
  return machine.start(['--data-dir', directory]);
}

/** An event of an entry, as a subscriber got it. */
interface Heard {
  readonly kind: 'entry-written' | 'entry-deleted' | 'entry-expired';
  readonly key: string;
  readonly revision: string;
  readonly expiresAt?: string;
  readonly value?: unknown;
}

/** A subscriber that comes back with the last id it saw, as a browser does. */
class Follower {
  readonly prefix: string;
  /** What it got up to the last id. */
  readonly events: Heard[] = [];
  readonly #query: string;
  #lastEventId: string | undefined;

  constructor(prefix: string, query: string) {
    this.prefix = prefix;
    this.#query = `?prefix=${prefix}&${query}`;
  }

  /** Follows a service until it is gone or, with a revision, until it has come so far. */
  async follow(url: string, {breaks = false, until}: {breaks?: boolean; until?: number}): Promise<void> {
    // Some connections break on the way too, after so many events.
    const lengths = breaks ? fc.sample(fc.integer({min: 1, max: 60}), 20) : [];
    while (Number(this.#lastEventId ?? -1) < (until ?? Infinity)) {
      try {
        await this.#followOnce(url, lengths.pop() ?? Infinity, until ?? Infinity);
      } catch (error) {
        // The service is gone, or was before it could answer.
        assert.ok(error instanceof TypeError || (error as Error).message === 'the stream ended', String(error));
        if (until === undefined) return;
      }
    }
  }

  async #followOnce(url: string, length: number, until: number): Promise<void> {
    const id = this.#lastEventId;
    const subscriber = await openEventStream(
      `${url}/api/events${this.#query}`,
      id === undefined ? {} : {lastEventId: id},
    );
    const {parser} = subscriber;
    let pending: Heard[] = [];
    const commit = (lastEventId: string): void => {
      if (lastEventId === '') return;
      this.events.push(...pending);
      pending = [];
      this.#lastEventId = lastEventId;
    };
    try {
      for (let count = 0; count < length && Number(this.#lastEventId ?? -1) < until; count++) {
        let event: StreamedEvent | undefined;
        // What is told without an event, such as the end of what is present, counts too.
        await subscriber.until(() => {
          event = subscriber.shift();
          return event !== undefined || parser.lastEventId !== (this.#lastEventId ?? '');
        });
        if (event !== undefined) {
          pending.push(JSON.parse(event.data) as Heard);
          if (event.lastEventId !== (this.#lastEventId ?? '')) commit(event.lastEventId);
        } else commit(parser.lastEventId);
      }
    } finally {
      await subscriber[Symbol.asyncDispose]();
    }
  }

  /** Fails unless every commit is there, once and in order. */
  assertWithoutGaps(revision: number): void {
    const revisions = this.events.map(event => Number(event.revision));
    const expected = Array.from({length: revision}, (_, index) => index + 1);
    assert.deepEqual([...new Set(revisions)], expected);
    assert.deepEqual(
      revisions,
      revisions.toSorted((a, b) => a - b),
    );
  }

  /** Fails unless what it got after what was present is the end of what another got, and the former what it left. */
  assertEndOf(other: Follower): void {
    const theirs = other.events.filter(({key}) => key.startsWith(this.prefix));
    let first = this.events.length;
    while (first > 0 && isDeepStrictEqual(this.events[first - 1], theirs.at(first - 1 - this.events.length))) first--;
    const present = this.events.slice(0, first);
    const before = theirs.slice(0, theirs.length - this.events.length + first);
    const left = new Map<string, Heard>();
    for (const event of before) {
      if (event.kind === 'entry-written') left.set(event.key, event);
      else left.delete(event.key);
    }
    for (const event of present) assert.deepEqual(left.get(event.key), event);
  }

  /** The revision of each entry that must be there after all this. Those that expire are gone at some time or other. */
  present(): Map<string, string> {
    const entries = new Map<string, Heard>();
    for (const event of this.events) {
      if (event.kind === 'entry-written') entries.set(event.key, event);
      else assert.ok(entries.delete(event.key), `${event.kind} of what was not there`);
    }
    return revisionsOf([...entries.values()]);
  }
}

/** What a writer did, and whether it knows that. */
interface Done {
  readonly kind: 'entry-written' | 'entry-deleted';
  readonly value?: number;
  readonly expires?: boolean;
  acknowledged: boolean;
  revision?: string;
}

/** What was sent and what was acknowledged, kept outside of the process that may die: for each key in order. */
class Ledger {
  readonly #done = new Map<string, Done[]>();
  #count = 0;

  /** Lets several writers write until so many writes were acknowledged, then kills the service. */
  async writeUntil(service: Service, acknowledgements: number): Promise<void> {
    let rest = acknowledgements;
    let killed = false;
    const write = async (writer: string): Promise<void> => {
      while (!killed) {
        try {
          await this.#writeOnce(service.url, writer);
        } catch (error) {
          assert.ok(killed && error instanceof TypeError, String(error));
        }
        if (--rest === 0) {
          killed = true;
          service.child.kill('SIGKILL');
        }
      }
    };
    await Promise.all([...WRITERS.map(write), service.finished]);
  }

  async #writeOnce(url: string, writer: string): Promise<void> {
    const turn = this.#count % 7;
    const keys = ['1', '2', '3'].map(name => `${writer}/${name}`);
    const key = keys[this.#count % 3] as string;
    if (turn === 5) return this.#transact(url, keys);
    if (turn === 6 && this.#done.has(key)) return this.#delete(url, key);
    await this.#put(url, key, turn === 4);
  }

  async #put(url: string, key: string, expires: boolean): Promise<void> {
    const done = this.#add(key, {kind: 'entry-written', value: ++this.#count, expires});
    const target = `${url}/api/store/${encodeURIComponent(key)}${expires ? '?ttl=1' : ''}`;
    const response = await fetch(target, {method: 'PUT', body: String(done.value)});
    await response.text();
    assert.ok(response.ok);
    done.acknowledged = true;
    done.revision = (response.headers.get('ETag') ?? '').slice(1, -1);
  }

  async #delete(url: string, key: string): Promise<void> {
    this.#count++;
    const done = this.#add(key, {kind: 'entry-deleted'});
    const response = await fetch(`${url}/api/store/${encodeURIComponent(key)}`, {method: 'DELETE'});
    await response.text();
    // An entry that expired, or whose deletion was not acknowledged, is gone already.
    assert.ok(response.ok || response.status === 404);
    done.acknowledged = response.ok;
  }

  async #transact(url: string, keys: readonly string[]): Promise<void> {
    const value = ++this.#count;
    const all = keys.map(key => this.#add(key, {kind: 'entry-written', value}));
    const operations = keys.map(key => ({kind: 'put', key, value}));
    const response = await fetch(`${url}/api/transactions`, {method: 'POST', body: JSON.stringify({operations})});
    const {revision} = (await response.json()) as {revision: string};
    assert.ok(response.ok);
    for (const done of all) Object.assign(done, {acknowledged: true, revision});
  }

  #add(key: string, about: Omit<Done, 'acknowledged'>): Done {
    const done: Done = {...about, acknowledged: false};
    this.#done.set(key, [...(this.#done.get(key) ?? []), done]);
    return done;
  }

  /** Fails unless what was heard of each key is what was done to it: in order, and all that was acknowledged. */
  compare(events: readonly Heard[]): void {
    for (const [key, all] of this.#done) {
      const heard = events.filter(event => event.key === key);
      // How much of what was done may be heard by now: which of two deletions happened nobody can tell.
      let places = new Set([0]);
      for (const [index, event] of heard.entries()) {
        if (event.kind === 'entry-expired')
          assert.ok(heard[index - 1]?.expiresAt !== undefined, 'it expired too often');
        else
          places = new Set(
            skipUnknown(all, places)
              .filter(place => isOf(event, all[place]))
              .map(place => place + 1),
          );
        assert.ok(places.size > 0, `nobody did ${JSON.stringify(event)} after ${JSON.stringify(heard[index - 1])}`);
      }
      assert.ok(skipUnknown(all, places).includes(all.length), `the last of ${JSON.stringify(all)} is lost`);
    }
  }
}

/** The places themselves, and those behind what was not acknowledged and so may not have happened. */
function skipUnknown(all: readonly Done[], places: Iterable<number>): readonly number[] {
  const reached = new Set(places);
  for (const place of reached) if (all[place]?.acknowledged === false) reached.add(place + 1);
  return [...reached];
}

function isOf(event: Heard, done: Done | undefined): boolean {
  return (
    done !== undefined &&
    done.kind === event.kind &&
    done.value === event.value &&
    (done.expires === true) === (event.expiresAt !== undefined) &&
    (done.revision ?? event.revision) === event.revision
  );
}

async function readAll({url}: Service): Promise<{revision: number; entries: Map<string, string>}> {
  const {entries} = (await (await fetch(`${url}/api/keys?limit=1000`)).json()) as {entries: readonly Heard[]};
  const response = await fetch(`${url}/api/transactions`, {method: 'POST', body: '{"operations":[]}'});
  const {revision} = (await response.json()) as {revision: string};
  return {revision: Number(revision), entries: revisionsOf(entries)};
}

function revisionsOf(entries: readonly Heard[]): Map<string, string> {
  const lasting = entries.filter(({expiresAt}) => expiresAt === undefined);
  return new Map(lasting.map(({key, revision}) => [key, revision] as const).sort());
}
