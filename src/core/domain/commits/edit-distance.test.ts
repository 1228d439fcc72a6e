import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {findSimilar} from './option-names.ts';

describe('findSimilar()', () => {
  const known = ['port', 'profile', 'dataDir', 'ephemeral'];
  const cases = [
    {name: 'a swap', text: 'prot', found: 'port'},
    {name: 'a letter that is missing', text: 'profle', found: 'profile'},
    {name: 'a letter too many', text: 'dataDirr', found: 'dataDir'},
    {name: 'a wrong letter', text: 'ephemerel', found: 'ephemeral'},
    {name: 'another case', text: 'DATADIR', found: 'dataDir'},
    {name: 'another word', text: 'banana', found: undefined},
    {name: 'a word of one letter', text: 'x', found: undefined},
    {name: 'nothing', text: '', found: undefined},
    {name: 'a very long text', text: 'port'.repeat(1000), found: undefined},
  ];
  for (const {name, text, found} of cases) {
    test(`finds ${found ?? 'nothing'} for ${name}`, () => {
      assert.equal(findSimilar(text, known), found);
    });
  }
});
