import type {Permission} from '../../domain/access/access.ts';
import type {OneRefused} from '../../domain/access/refused-requests.ts';
import type {Answered} from './handler.ts';
import {shownPath} from './shown-path.ts';

/** Returns what a plugin was refused; undefined for other answers, and other callers. In the mode `open` nothing is. */
export function readRefusal(answered: Answered): OneRefused | undefined {
  const {request, principal, route} = answered;
  const permission = lackingIn(answered);
  if (permission === undefined || route === undefined || !principal?.startsWith('plugin:')) return undefined;
  const path = shownPath(request.target);
  return {plugin: principal.slice('plugin:'.length), method: request.method, path, route, permission};
}

function lackingIn({failed, route}: Answered): Permission | undefined {
  const failure = failed?.error.failure;
  // Such an identity lacks its secrets, and the plugin fails later, when it sends them to the airline.
  if (failure === undefined) return route === '/api/identity' ? 'identity:secrets' : undefined;
  if (failure.code === 'flight-of-another') return 'plugins:manage';
  return failure.code === 'permission-required' ? (failure.permission as Permission) : undefined;
}
