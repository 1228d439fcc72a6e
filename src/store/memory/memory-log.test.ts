import {describe, expect, test} from 'vitest';
import {put} from '../../../test/contracts/shared/assertions.ts';
import type {PutChange} from '../../core/domain/commits/store.ts';
import {MemoryLog} from './memory-log.ts';

function changeOf(revision: number, text: string): PutChange {
  return {...put('k', text), kind: 'put', revision, sizeBytes: text.length};
}

describe('MemoryLog', () => {
  test('keeps the newest commits within its bytes, and the last one in any case', () => {
    const log = new MemoryLog({changesMax: 1000, bytesMax: 100});
    for (let revision = 1; revision <= 10; revision++) log.add([changeOf(revision, `"${'x'.repeat(37)}"`)]);
    expect(log.read(7, 10)).toBeUndefined();
    expect(log.read(8, 10)?.map(({revision}) => revision)).toEqual([9, 10]);
    log.add([changeOf(11, `"${'x'.repeat(200)}"`)]);
    expect(log.read(9, 10)).toBeUndefined();
    expect(log.read(10, 10)).toHaveLength(1);
  });
});
