import fc from 'fast-check';
import {HOSTILE_PAGE_NAMES} from '../back-end.ts';
import {PLUGIN} from '../plugins.ts';
import {type BodyPlan, bodyOf, type RequestPlan} from '../request-plan.ts';
import type {FuzzCase, Step} from './fuzz-case.ts';

/** Just below the largest transaction, value and sign-in, in bytes. */
const TRANSACTION_BYTES = 2_080_000;
const VALUE_BYTES = 1_000_000;
const SIGN_IN_BYTES = 16_000;

/** Bodies of legal size with as many elements as fit: they cost most if a limit is checked late. */
export const HOSTILE_SHAPES: fc.Arbitrary<FuzzCase> = fc
  .constantFrom<Step>(
    ...['0,', '{},', '[],', '"",', '{"x":0},'].map(part => transaction(repeat('{"operations":[', part, '0]}'))),
    transaction(repeat('{', '"x":0,', '"operations":[]}')),
    transaction(repeat('{"operations":[{', '"x":0,', '"kind":"delete"}]}')),
    transaction(repeat('{"checks":[', '{},', '0],"operations":[]}')),
    transaction(repeat('', '[', '')),
    transaction(bodyOf(JSON.stringify({operations: [{kind: 'patch', key: 'wide', patch: wideObject(1)}]}))),
    send('PUT', '/api/store/wide', repeat('[', '{},', '0]', VALUE_BYTES)),
    send('POST', '/api/import', repeat('{', '"x":0,', '"format":"crewroom-export"}\n', 3 * VALUE_BYTES)),
    send('POST', '/api/import', repeat('', '\n', '', TRANSACTION_BYTES)),
    send('POST', `/api/${PLUGIN}/echo`, repeat('[', '{},', '0]', VALUE_BYTES)),
    send('POST', '/api/session', repeat('{', '"x":0,', '"username":"1"}', SIGN_IN_BYTES)),
  )
  .map(step => [step]);

/** Maximum number of members in a patch. */
const PATCH_MEMBERS = 1000;

/** Number of the widest values that a transaction can patch: its limit counts the bytes of the results. */
const PATCHED_VALUES = 2;

/** Patches with the maximum number of members, and with as many as a value can have. */
export const HOSTILE_PATCHES: fc.Arbitrary<FuzzCase> = fc.constantFrom<FuzzCase>(
  ...[1, null].flatMap(value => [patchWide(0, wideObject(value)), patchWide(0, wideObject(value, PATCH_MEMBERS))]),
  patchWide({a: 0}, wideObject({a: 1})),
  patchWide({a: 0}, wideObject({a: 1}, PATCH_MEMBERS / 2)),
  patchManyWide(),
);

/** Sign-ins of pilots whose back end answers with pages that take a backtracking reader quadratic time. */
export const HOSTILE_PAGES: fc.Arbitrary<FuzzCase> = fc
  .subarray([...HOSTILE_PAGE_NAMES], {minLength: 1})
  .map(names => names.flatMap(username => signIn(username)));

function signIn(username: string): FuzzCase {
  return [send('POST', '/api/session', bodyOf(JSON.stringify({username, password: 'x'})))];
}

function transaction(body: BodyPlan): Step {
  return send('POST', '/api/transactions', body);
}

/** A patch of an object as wide as a value can be. */
function patchWide(value: unknown, patch: object): FuzzCase {
  return [
    send('PUT', '/api/store/wide', bodyOf(JSON.stringify(wideObject(value)))),
    send('PATCH', '/api/store/wide', bodyOf(JSON.stringify(patch))),
  ];
}

/** A transaction that patches as many of the widest objects as it can. */
function patchManyWide(): FuzzCase {
  const keys = Array.from({length: PATCHED_VALUES}, (_, index) => `wide-${index}`);
  const value = bodyOf(JSON.stringify(wideObject(0)));
  const patch = wideObject(1, PATCH_MEMBERS);
  const operations = keys.map(key => ({kind: 'patch', key, patch}));
  return [
    ...keys.map(key => send('PUT', `/api/store/${key}`, value)),
    transaction(bodyOf(JSON.stringify({operations}))),
  ];
}

function send(method: string, target: string, body: BodyPlan): Step {
  const plan: RequestPlan = {
    method,
    target,
    headers: [['Host', '{{host}}']],
    body,
    framing: 'length',
    ending: 'wait',
  };
  return {kind: 'parallel', plans: [plan]};
}

function repeat(before: string, repeated: string, after: string, sizeBytes = TRANSACTION_BYTES): BodyPlan {
  const times = Math.floor((sizeBytes - before.length - after.length) / repeated.length);
  return {before, repeated, times, after};
}

/** An object with this many members, all with different names; as many as a value can have. */
function wideObject(value: unknown, membersMax = Number.POSITIVE_INFINITY): Readonly<Record<string, unknown>> {
  const memberBytes = JSON.stringify({m99999: value}).length - 1;
  const count = Math.min(membersMax, Math.floor(VALUE_BYTES / memberBytes));
  return Object.fromEntries(Array.from({length: count}, (_, index) => [`m${index}`, value]));
}
