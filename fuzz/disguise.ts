import type {Place} from './document.ts';
import {headersOf, type RequestPlan} from './request-plan.ts';

const OVERRIDES = ['x-http-method-override', 'x-http-method', 'x-method-override'];

/**
 * Returns whether a plan is a write that is something else than its method and body: it names another method, sends a part of a document, or
 * sends a patch with another method than PATCH. Routes of plugins get such requests as they are.
 */
export function isDisguised(plan: RequestPlan, place: Place): boolean {
  if (place.kind !== 'operation' || plan.method === 'GET' || place.operation.name === 'postToPlugin') return false;
  const methods = OVERRIDES.flatMap(name => headersOf(plan, name)).map(value => value.trim().toUpperCase());
  const types = place.operation.body === undefined ? [] : headersOf(plan, 'content-type');
  return (
    methods.some(method => method !== '' && method !== plan.method) ||
    headersOf(plan, 'content-range').length > 0 ||
    types.some(type => /^application\/(?:json-patch|merge-patch)\+json\b/i.test(type) && !isTaken(type, plan.method))
  );
}

function isTaken(type: string, method: string): boolean {
  return method === 'PATCH' && /^application\/merge/i.test(type);
}
