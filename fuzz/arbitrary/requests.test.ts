import {openCrewroom} from 'crewroom';
import fc from 'fast-check';
import {beforeAll, describe, expect, test} from 'vitest';
import {type ApiDocument, type OpenApi, readDocument} from '../document.ts';
import {BAD_FRAMINGS, formatPlan, GOOD_FRAMINGS, isWellFormed, type RequestPlan} from '../request-plan.ts';
import {createRequestArbitraries, type RequestArbitraries} from './requests.ts';

let document: ApiDocument;
let arbitraries: RequestArbitraries;

beforeAll(async () => {
  const crewroom = await openCrewroom({store: 'memory'});
  const response = await crewroom.fetch(new Request('http://localhost:7172/openapi.json'));
  document = readDocument((await response.json()) as OpenApi);
  arbitraries = createRequestArbitraries(document, {bodies: {}, onlyHinted: [], segments: {}, before: {}, slow: []});
  await crewroom[Symbol.asyncDispose]();
});

/** Always the same cases, so that the test does not depend on luck. */
function sample(arbitrary: fc.Arbitrary<RequestPlan>): readonly RequestPlan[] {
  return fc.sample(arbitrary, {numRuns: 150, seed: 1});
}

describe('valid requests', () => {
  test('have every parameter of every operation, and sometimes leave out optional ones', () => {
    for (const operation of document.operations) {
      const plans = sample(arbitraries.valid(operation));
      for (const {name, in: place, required} of operation.parameters.filter(each => each.in !== 'path')) {
        const having = plans.filter(({target, headers}) =>
          place === 'query' ? new RegExp(`[?&]${name}=`).test(target) : headers.some(([each]) => each === name),
        ).length;
        expect(having, `${operation.name} ${name}`).toBeGreaterThan(20);
        expect(having, `${operation.name} ${name}`).toBeLessThan(required ? 151 : 150);
      }
    }
  });

  test('are well-formed, lead to their operation, and have a body that it accepts', () => {
    for (const operation of document.operations) {
      for (const plan of sample(arbitraries.valid(operation))) {
        expect(isWellFormed(plan)).toBe(true);
        expect(document.find(plan.method, plan.target)).toMatchObject({
          kind: 'operation',
          operation: {name: operation.name},
        });
        expect(plan.body === undefined).toBe(operation.body === undefined);
      }
    }
  });

  test('of transactions satisfy the schema', () => {
    const operation = document.operations.find(({name}) => name === 'transact');
    if (operation === undefined) throw new Error('the document has no such operation');
    for (const {body} of sample(arbitraries.valid(operation)))
      expect(document.check(JSON.parse(Buffer.from(body?.before ?? '', 'latin1').toString()), TRANSACTION)).toEqual([]);
  });
});

const TRANSACTION = ['components', 'schemas', 'Transaction'];

describe('any requests', () => {
  test('have every framing of a body, right and wrong', () => {
    const operation = document.operations.find(({name}) => name === 'putEntry');
    if (operation === undefined) throw new Error('the document has no such operation');
    const framings = new Set(fc.sample(arbitraries.any(operation), {numRuns: 1000, seed: 1}).map(plan => plan.framing));
    expect([...GOOD_FRAMINGS, ...BAD_FRAMINGS].filter(framing => !framings.has(framing))).toEqual([]);
  });

  test('store only data meant for the store, also if the target is cut short', () => {
    // A password that the run itself stores would later look like a leak.
    for (const operation of document.operations.filter(({path}) => !path.includes('{key}')))
      for (const {target} of fc.sample(arbitraries.any(operation), {numRuns: 1000, seed: 1}))
        expect(target.slice(0, 200)).not.toMatch(/^\/api\/store\/[^/?]+(\?|$)/);
  });

  test('can all be sent', () => {
    const memory = {host: 'localhost:1', etag: '"1"', revision: '1', cursor: 'a', export: ''};
    for (const operation of document.operations)
      for (const plan of sample(arbitraries.any(operation)).slice(0, 30))
        expect(formatPlan(plan, memory).toString('latin1')).not.toMatch(/\{\{(host|etag|revision|cursor|export)\}\}/);
  });
});
