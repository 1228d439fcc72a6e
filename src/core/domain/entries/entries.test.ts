import {describe, expectTypeOf, test} from 'vitest';
import type {CheckedEntries} from '../commits/checked-entries.ts';
import type {TtlSeconds} from '../commits/time-to-live.ts';
import type {DeleteOptions, Entries, Page, TransactionOperation, WriteOptions, Written} from './entries.ts';
import type {EntryInfo} from './entry.ts';
import type {Key} from './identifiers.ts';
import type {TypedEntry} from './typed-entry.ts';

declare const entries: Entries;
type Listed = EntryInfo & Pick<Written, 'etag'>;

// The compiler checks these; a mistake of a caller does not compile.
describe('the types of the entries', () => {
  test('list() has values if they are wanted, and only then', () => {
    const list = () => [entries.list({values: true}), entries.list({prefix: 'a'}), entries.list()] as const;
    expectTypeOf(list).returns.toEqualTypeOf<
      readonly [Promise<Page<TypedEntry>>, Promise<Page<Listed>>, Promise<Page<Listed>>]
    >();
    expectTypeOf<EntryInfo>().not.toHaveProperty('json');
  });

  test('get() and list() have values of the type that the caller names, and otherwise of an unknown one', () => {
    const get = () => [entries.get('a'), entries.get<number>('a')] as const;
    expectTypeOf(get).returns.toEqualTypeOf<
      readonly [Promise<TypedEntry | undefined>, Promise<TypedEntry<number> | undefined>]
    >();
    expectTypeOf<TypedEntry['value']>().toBeUnknown();
    expectTypeOf(() => entries.list<number>({values: true})).returns.resolves.toEqualTypeOf<Page<TypedEntry<number>>>();
    expectTypeOf(() => entries.listAll<string>({values: true})).returns.toEqualTypeOf<
      AsyncIterable<TypedEntry<string>>
    >();
    expectTypeOf(() => entries.listAll()).returns.toEqualTypeOf<AsyncIterable<Listed>>();
  });

  test('a deletion cannot expect that there is no entry, unlike a write', () => {
    expectTypeOf<'absent'>().toExtend<WriteOptions['expected']>();
    expectTypeOf<'absent'>().not.toExtend<DeleteOptions['expected']>();
    expectTypeOf<'present'>().toExtend<DeleteOptions['expected']>();
  });

  test('a touch says that an entry never expires with null, and a put by saying nothing', () => {
    type Ttl<K> = Extract<TransactionOperation, {kind: K}> extends {ttlSeconds?: infer T} ? T : never;
    expectTypeOf<Ttl<'touch'>>().toEqualTypeOf<number | null>();
    expectTypeOf<Ttl<'put'>>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Extract<TransactionOperation, {kind: 'delete'}>>().not.toHaveProperty('ttlSeconds');
  });

  test('CheckedEntries accept only checked keys and times to live: a plain string or number has the wrong type', () => {
    expectTypeOf<CheckedEntries['get']>().parameter(0).toEqualTypeOf<Key>();
    expectTypeOf<string>().not.toExtend<Key>();
    expectTypeOf<Key>().toExtend<string>();
    expectTypeOf<CheckedEntries['touch']>().parameter(1).toEqualTypeOf<TtlSeconds | null>();
    expectTypeOf<number>().not.toExtend<TtlSeconds>();
  });

  test('typed entries are entries, so that both are used alike', () => {
    expectTypeOf<Entries>().toExtend<Entries>();
  });
});
