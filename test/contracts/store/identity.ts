import assert from 'node:assert/strict';
import type {Store} from '../../../src/core/domain/commits/store.ts';
import {createStoreId, parseStoreId} from '../../../src/core/domain/entries/identifiers.ts';
import type {ContractPart} from '../../../src/workbench/testing/shared/contract.ts';
import {assertFails, key, put, putIf, read, textOf, write} from '../shared/assertions.ts';

/** A store that can be opened again with its content. */
export interface ReopenableStore extends AsyncDisposable {
  readonly store: Store;
  /** Closes the store, and opens it again. */
  reopen(): Promise<Store>;
}

/** Id of another store, almost certainly. */
const ELSEWHERE = createStoreId(Uint8Array.of(0xe1, 0x5e, 0x4e, 0x2e));

/** Returns tests of the id of a store. */
export function storeIdentity(openAnother: () => Promise<Store>): ContractPart<Store> {
  return {
    name: 'identity',
    tests: [
      {
        name: 'is an id of letters and digits that stays while the store changes',
        async run(store) {
          const {id} = store;
          assert.equal(parseStoreId(id), id);
          await write(store, put('a'));
          assert.equal(store.id, id);
        },
      },
      {
        name: 'differs for another store',
        async run(store) {
          await using another = await openAnother();
          assert.notEqual(another.id, store.id);
        },
      },
      {
        name: 'is part of checks: a revision of this store holds, the same number of another never does',
        async run(store) {
          await write(store, put('a', '"mine"'));
          const [here, elsewhere] = [store.id, ELSEWHERE].map(storeId => ({storeId, revision: 1})) as [never, never];
          await assertFails(putIf(store, 'a', '2', elsewhere), {
            code: 'revision-conflict',
            conflicts: [{key: key('a'), expected: `${ELSEWHERE}-1`, actual: '1'}],
          });
          await assertFails(putIf(store, 'b', '2', elsewhere), {
            code: 'revision-conflict',
            conflicts: [{key: key('b'), expected: `${ELSEWHERE}-1`, actual: 'absent'}],
          });
          assert.equal(textOf(await read(store, 'a')), '"mine"');
          await putIf(store, 'a', '2', here);
          await assertFails(putIf(store, 'a', '3', here), {
            code: 'revision-conflict',
            conflicts: [{key: key('a'), expected: '1', actual: '2'}],
          });
          await putIf(store, 'a', '3', [elsewhere, 2]);
        },
      },
    ],
  };
}

/** Tests of the identity of a store that is opened again. */
export const STORE_REOPENING: ContractPart<ReopenableStore> = {
  name: 'identity',
  tests: [
    {
      name: 'stays when the store is opened again, whether it was written to or not',
      async run(subject) {
        const {id} = subject.store;
        const second = await subject.reopen();
        assert.equal(second.id, id);
        await write(second, put('a'));
        const third = await subject.reopen();
        assert.equal(third.id, id);
        await putIf(third, 'a', '2', {storeId: id, revision: 1});
      },
    },
  ],
};
