import assert from 'node:assert/strict';
import {describe, test} from 'vitest';
import {list, number, object, optional, text} from './checks.ts';
import {isFailureIn, problems, stored} from './members.ts';
import type {Conflict} from './problems.ts';

const MEMBERS = {
  'no-members': {},
  'no-entry': {key: text},
  'value-too-deep': {depthMax: number, position: number},
  'store-corrupt': {after: optional(text)},
  'disk-full': stored,
  'invalid-transaction': {problems},
  'revision-conflict': {conflicts: list(object<Conflict>({key: text, expected: text, actual: text}))},
  'method-not-allowed': {method: text, allowed: list(text)},
};

describe('isFailureIn()', () => {
  const accepted: readonly Readonly<Record<string, unknown>>[] = [
    {code: 'no-members'},
    {code: 'no-entry', key: ''},
    {code: 'no-entry', key: 'a', status: 404, detail: 'more members'},
    {code: 'value-too-deep', depthMax: 0, position: 5},
    {code: 'store-corrupt'},
    {code: 'store-corrupt', after: 'a'},
    {code: 'disk-full', batches: 1},
    {code: 'invalid-transaction', problems: [{path: '$', problem: 'x'}]},
    {code: 'revision-conflict', conflicts: [{key: 'a', expected: '1', actual: 'absent'}]},
    {code: 'method-not-allowed', method: 'PUT', allowed: ['GET']},
  ];
  for (const document of accepted) {
    test(`accepts ${JSON.stringify(document)}`, () => {
      assert.equal(isFailureIn(MEMBERS, document), true);
    });
  }

  const refused: readonly (readonly [name: string, document: Readonly<Record<string, unknown>>])[] = [
    ['no code', {key: 'a'}],
    ['a code that is not a string', {code: 1}],
    ['an unknown code', {code: 'unknown', key: 'a'}],
    ['a code that every object has as a member', {code: 'constructor'}],
    ['a missing member', {code: 'no-entry'}],
    ['null as a member', {code: 'no-entry', key: null}],
    ['a number in place of a string', {code: 'no-entry', key: 1}],
    ['a string in place of a number', {code: 'value-too-deep', depthMax: '4', position: 5}],
    ['an optional member of another type', {code: 'store-corrupt', after: 1}],
    ['an optional number of another type', {code: 'disk-full', imported: '3'}],
    ['a string in place of a list', {code: 'invalid-transaction', problems: 'x'}],
    ['an empty list of problems', {code: 'invalid-transaction', problems: []}],
    ['an empty list of conflicts', {code: 'revision-conflict', conflicts: []}],
    ['an empty list of methods', {code: 'method-not-allowed', method: 'PUT', allowed: []}],
    [
      'a problem without its path',
      {code: 'invalid-transaction', problems: [{path: '$', problem: 'x'}, {problem: 'y'}]},
    ],
    ['a conflict with a number', {code: 'revision-conflict', conflicts: [{key: 'a', expected: 1, actual: '2'}]}],
    ['a method that is not a string', {code: 'method-not-allowed', method: 'PUT', allowed: ['GET', null]}],
  ];
  for (const [name, document] of refused) {
    test(`refuses ${name}`, () => {
      assert.equal(isFailureIn(MEMBERS, document), false);
    });
  }
});
