import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {put, read, textOf, write} from '../../contracts/shared/assertions.ts';
import {EtcdCluster} from '../../support/etcd-cluster.ts';
import {openStoreIn} from '../../support/shared-stores.ts';

describe('the prefix of a store inside that of another one', () => {
  for (const inner of ['x/e', 'x/i', 'x/e/team/store'])
    test(`is refused in both directions, and nothing is written: ${inner}`, async () => {
      await using cluster = await EtcdCluster.start(1);
      const openAt = async (prefix: string) => openStoreIn(await cluster.connectTo(prefix));
      {
        await using outer = await openAt('x');
        await assert.rejects(openAt(inner), /inside that of the store "x\/"/);
        await write(outer, put('a'));
        assert.equal(textOf(await read(outer, 'a')), '1');
      }
      assert.equal(cluster.control('get', '--keys-only', '--prefix', `${inner}/h`).trim(), '');
      await using other = await openAt('y/e');
      await write(other, put('a'));
      await assert.rejects(openAt('y'), /does not hold a store of Crewroom/);
      await using beside = await openAt('y/f');
      await write(beside, put('a'));
      assert.equal(textOf(await read(other, 'a')), '1');
    });

  for (const inner of ['x/prod', 'x/h', 'x/prod/e'])
    test(`is accepted if no key of the outer one begins like it: ${inner}`, async () => {
      await using cluster = await EtcdCluster.start(1);
      const openAt = async (prefix: string) => openStoreIn(await cluster.connectTo(prefix));
      await using outer = await openAt('x');
      await write(outer, put('a'));
      await using store = await openAt(inner);
      await write(store, put('a', '2'));
      assert.equal(textOf(await read(outer, 'a')), '1');
      assert.equal(textOf(await read(store, 'a')), '2');
    });
});
