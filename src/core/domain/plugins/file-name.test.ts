import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {findFileNameProblem} from './file-name.ts';

describe('findFileNameProblem()', () => {
  for (const name of [
    'a',
    '.hidden',
    'console.js',
    'com.example.a',
    'com',
    'com10',
    'nullable.ts',
    'lpt',
    'auxiliary',
    'ä €',
  ])
    test(`accepts ${name}`, () => assert.equal(findFileNameProblem(name), undefined));

  const devices = [
    'CON',
    'nul.js',
    'aux.tar.gz',
    'Prn .txt',
    'COM1',
    'com0',
    'lpt9.log',
    'com¹',
    'LPT³.x',
    'conin$',
    'CONOUT$.a',
  ];
  for (const name of devices)
    test(`refuses the device ${name}`, () =>
      assert.equal(findFileNameProblem(name), 'has the name of a device of Windows'));

  for (const character of '<>:"|?*\\/')
    test(`refuses ${character}`, () =>
      assert.equal(
        findFileNameProblem(`a${character}b`),
        `has a ${character} in its name, which Windows does not allow`,
      ));

  for (const name of ['a\u0001', 'a\u007f', 'a\u202eb', '\ud800'])
    test(`refuses ${JSON.stringify(name)}`, () =>
      assert.equal(findFileNameProblem(name), 'has a control character in its name'));

  for (const name of ['a.', 'a ', '.', '..'])
    test(`refuses ${JSON.stringify(name)}, which Windows changes`, () =>
      assert.equal(findFileNameProblem(name), 'has a dot or a space at the end of a name'));
});
