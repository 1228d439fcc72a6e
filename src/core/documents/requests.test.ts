import {expect, test} from 'vitest';
import {SIGN_IN, TOKEN_REQUEST} from './requests.ts';

function bodyOf(document: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(document));
}

test('the lengths of lists are looked at before their elements', () => {
  const read = (count: number) => () => TOKEN_REQUEST.read(bodyOf({name: 'a', permissions: new Array(count).fill(7)}));
  const tooMany = {path: '$.permissions', problem: 'has more than 1000 elements'};
  expect(read(1001)).toThrow(expect.objectContaining({failure: expect.objectContaining({problems: [tooMany]})}));
  expect(read(1000)).toThrow('$.permissions[99] has to be a string');
});

test('a list is no body', () => {
  expect(() => SIGN_IN.read(bodyOf([]))).toThrow('it has to be an object');
});
