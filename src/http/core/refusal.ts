import type {OneRefused, Permission} from '../../core/domain/access/access.ts';
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

function lackingIn({failed, answer}: Answered): Permission | undefined {
  const failure = failed?.error.failure;
  if (failure === undefined) return answer.withheld;
  if (failure.code === 'flight-of-another') return 'plugins:manage';
  return failure.code === 'permission-required' ? (failure.permission as Permission) : undefined;
}
