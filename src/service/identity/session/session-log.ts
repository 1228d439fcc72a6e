import type {LogFields} from '../../../core/domain/log.ts';
import {messageOf} from '../../../core/failures/app-error.ts';
import type {State} from './session-state.ts';
import type {SessionEvent} from './session-table.ts';

const LEFT = {kind: 'left'} as const;

type Line = readonly [level: 'info' | 'error', message: string, about: LogFields];

/** Returns what an event means for an operator, without secrets. A problem is told once, not after each attempt. */
export function linesOf(before: State, event: SessionEvent, after: State): readonly Line[] {
  const scriptURL = 'scriptURL' in before ? before.scriptURL : undefined;
  const known = 'problem' in before ? before.problem : undefined;
  const served = after.kind === 'signed-in' ? {identity: after.identity.summary, scriptURL: after.scriptURL} : {};
  switch (event.kind) {
    case 'received':
      return [['info', 'signed in', served]];
    case 'resumed':
      return [['info', 'session resumed', served]];
    case 'lost':
      return [['info', 'kept session not used: the keychain has none', {scriptURL}], ...linesOf(before, LEFT, after)];
    case 'confirmed':
      return known === undefined ? [] : [['info', 'the back end answers again', {scriptURL}]];
    case 'changed':
      return [...linesOf(before, {...event, kind: 'confirmed'}, after), ['info', 'identity changed', served]];
    case 'unoffered':
      if (before.kind === 'signed-in' && before.unverifiable) return [];
      return [['info', 'the back end does not offer pilot/verify: the session is kept to its end', {scriptURL}]];
    case 'failed': {
      const {error, problem} = event;
      if (before.kind === 'locked')
        return [['info', 'session not read from the keychain', {problem: messageOf(error)}]];
      if (problem === undefined) return [['error', 'session not refreshed', {error}]];
      if (problem.code === known?.code) return [];
      return [['info', 'session not refreshed; the last known identity stays', {problem: messageOf(error)}]];
    }
    case 'ended':
      return [['info', 'session expired', {scriptURL, ...(event.problem && {code: event.problem.code})}]];
    case 'moved':
      return [
        ['info', 'the profile names another back end', {scriptURL: event.scriptURL}],
        ...linesOf(before, LEFT, after),
      ];
    case 'left':
      return before.kind === 'signed-out' ? [] : [['info', 'signed out', {scriptURL}]];
    default:
      return [];
  }
}
