import fc from 'fast-check';
import {type BodyPlan, bodyOf, type RequestPlan} from '../request-plan.ts';
import type {FuzzCase} from './cases.ts';

/** Just below the largest transaction, value and sign-in, in bytes. */
const TRANSACTION_BYTES = 8_300_000;
const VALUE_BYTES = 1_000_000;
const SIGN_IN_BYTES = 16_000;

/** Bodies of legal size in which as much stands as can: they cost most where a limit is checked late. */
export const HOSTILE_SHAPES: fc.Arbitrary<FuzzCase> = fc.constantFrom<FuzzCase>(
  ...['0,', '{},', '[],', '"",', '{"x":0},'].map(part => transaction(repeat('{"operations":[', part, '0]}'))),
  transaction(repeat('{', '"x":0,', '"operations":[]}')),
  transaction(repeat('{"operations":[{', '"x":0,', '"kind":"delete"}]}')),
  transaction(repeat('{"checks":[', '{},', '0],"operations":[]}')),
  transaction(repeat('', '[', '')),
  transaction(bodyOf(JSON.stringify({operations: [{kind: 'patch', key: 'wide', patch: wideObject(1)}]}))),
  [send('PUT', '/api/store/wide', bodyOf(JSON.stringify(wideObject(0)))), patchWide(1)],
  [send('PUT', '/api/store/wide', bodyOf(JSON.stringify(wideObject(0)))), patchWide(null)],
  [send('PUT', '/api/store/wide', bodyOf(JSON.stringify(wideObject({a: 0})))), patchWide({a: 1})],
  [send('PUT', '/api/store/wide', repeat('[', '{},', '0]', VALUE_BYTES))],
  [send('POST', '/api/import', repeat('{', '"x":0,', '"format":"crewroom-export"}\n', 3 * VALUE_BYTES))],
  [send('POST', '/api/import', repeat('', '\n', '', TRANSACTION_BYTES))],
  [send('POST', '/api/session', repeat('{', '"x":0,', '"username":"1"}', SIGN_IN_BYTES))],
);

function transaction(body: BodyPlan): FuzzCase {
  return [send('POST', '/api/transactions', body)];
}

function patchWide(value: unknown): FuzzCase[number] {
  return send('PATCH', '/api/store/wide', bodyOf(JSON.stringify(wideObject(value))));
}

function send(method: string, target: string, body: BodyPlan): FuzzCase[number] {
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

/** As many members as a value can have, each with another name. */
function wideObject(value: unknown): Readonly<Record<string, unknown>> {
  const memberBytes = JSON.stringify({m99999: value}).length - 1;
  const count = Math.floor(VALUE_BYTES / memberBytes);
  return Object.fromEntries(Array.from({length: count}, (_, index) => [`m${index}`, value]));
}
