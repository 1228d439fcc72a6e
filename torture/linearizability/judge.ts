import {isDeepStrictEqual} from 'node:util';
import type {Exchange} from './exchange.ts';
import {EMPTY, perform, type StoreState} from './simulated-store.ts';

/**
 * Judges a history as simply as can be: tries every order of it, with every choice of what happened of that which nobody
 * answered. For a handful of exchanges only.
 */
export function judgeByTryingAll(history: readonly Exchange[]): boolean {
  return canGoOn(history, EMPTY, Number.NEGATIVE_INFINITY);
}

function canGoOn(rest: readonly Exchange[], state: StoreState, latestAskedAt: number): boolean {
  if (rest.every(isUnanswered)) return true;
  return rest.some((next, index) => {
    const others = rest.toSpliced(index, 1);
    const isTooEarly = others.some(other => !isUnanswered(other) && other.answeredAt < next.askedAt);
    if (isTooEarly || next.answeredAt < latestAskedAt) return false;
    const {exchange, state: after} = perform(state, next);
    if (!isUnanswered(next) && !isDeepStrictEqual(exchange, next)) return false;
    return canGoOn(others, after, Math.max(latestAskedAt, next.askedAt));
  });
}

function isUnanswered(exchange: Exchange): boolean {
  return exchange.kind === 'commit' && exchange.outcome.kind === 'unknown';
}
