import type {SessionStatus} from '../domain/identity/session.ts';
import {adviseOn} from '../failures/failure-advice.ts';
import type {Finding} from './finding.ts';

const CHECK = 'Pilot';

/** Reports the session of the pilot that a running service has; nothing if no pilot is signed in at a back end. */
export function checkPilot(session: SessionStatus): readonly Finding[] {
  const {state, source, summary = 'a pilot', stale, verifiedAtMs, unverifiable, problem} = session;
  if (source !== 'back-end' || state !== 'signed-in') return [];
  if (stale) {
    const fix = problem === undefined ? 'Try again in a moment' : adviseOn(problem.failure);
    const why = problem?.message ?? 'the back end has not answered yet';
    return [{check: CHECK, level: 'warning', detail: `${summary}, not confirmed by the airline: ${why}`, fix}];
  }
  if (unverifiable)
    return [
      {
        check: CHECK,
        level: 'warning',
        detail: `${summary}, kept to the end of the session: the airline does not offer to verify it (pilot/verify)`,
        fix: 'Nothing is broken; if the airline ends the session earlier, sign in again with "crewroom sign-in"',
      },
    ];
  const verified = verifiedAtMs === undefined ? '' : `, last verified at ${new Date(verifiedAtMs).toISOString()}`;
  return [{check: CHECK, level: 'ok', detail: `${summary}${verified}`}];
}
