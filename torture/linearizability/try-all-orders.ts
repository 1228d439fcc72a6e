import {isDeepStrictEqual} from 'node:util';
import type {Exchange} from './exchange.ts';
import {EMPTY, perform, type StoreState} from './simulated-store.ts';

/**
 * Checks a history in the simplest way: tries every order, with every possible outcome of the exchanges without an
 * answer. For a handful of exchanges only.
 */
export function tryAllOrders(history: readonly Exchange[]): boolean {
  return canGoOn(history, EMPTY, Number.NEGATIVE_INFINITY);
}

function canGoOn(rest: readonly Exchange[], state: StoreState, latestRequestedAt: number): boolean {
  if (rest.every(isUnanswered)) return true;
  return rest.some((next, index) => {
    const others = rest.toSpliced(index, 1);
    const isTooEarly = others.some(other => !isUnanswered(other) && other.answeredAt < next.requestedAt);
    if (isTooEarly || next.answeredAt < latestRequestedAt) return false;
    const {exchange, state: after} = perform(state, next);
    if (!isUnanswered(next) && !isDeepStrictEqual(exchange, next)) return false;
    return canGoOn(others, after, Math.max(latestRequestedAt, next.requestedAt));
  });
}

function isUnanswered(exchange: Exchange): boolean {
  return exchange.kind === 'commit' && exchange.outcome.kind === 'unknown';
}
