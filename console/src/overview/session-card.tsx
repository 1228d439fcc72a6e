import type {Session} from '../service/documents.ts';
import {clickIf} from '../shell/click-if.ts';
import {Facts} from '../shell/facts.tsx';
import {FailureNote} from '../shell/failure-note.tsx';
import {formatMoment} from '../shell/format/format-clock.ts';
import type {OverviewState} from './overview-state.ts';
import {SignInForm} from './sign-in-form.tsx';

/** Sources of the identity, in words; a newer service may have more. */
const SOURCES: Readonly<Record<string, string>> = {
  'back-end': 'The airline, where the pilot signs in',
  profile: 'A profile: the file that --profile names',
  sample: 'A sample pilot, who does not exist',
  none: 'None is configured',
};

/** Places that keep a session, in words. */
const PLACES: Readonly<Record<string, string>> = {
  keychain: 'In the keychain of the system',
  file: 'In the data directory',
  memory: 'Until the service stops',
};

const STATES: Readonly<Record<string, string>> = {
  'signed-in': 'Signed in',
  'signed-out': 'Signed out',
  expired: 'Expired',
};

/** The pilot that is served, from where, and the session at the airline. */
export function SessionCard({overview}: {readonly overview: OverviewState}) {
  const session = overview.session.value.value;
  const failure = overview.sessionChanges.failure.value;
  return (
    <section class="card" aria-labelledby="session-title">
      <div class="page-head apart">
        <h2 id="session-title" tabIndex={-1} data-home>
          Pilot and session
        </h2>
        {session !== undefined && <SessionMark session={session} />}
      </div>
      {session !== undefined && <SessionFigures session={session} />}
      {session !== undefined && <SessionProblem session={session} />}
      {failure !== undefined && <FailureNote failure={failure} />}
      {session !== undefined && <SessionActions overview={overview} session={session} />}
    </section>
  );
}

/** The state in one word; of a sample or a profile, whose pilots do not sign in, the source. */
function SessionMark({session: {state, source, stale}}: {readonly session: Session}) {
  const isServed = state === 'signed-in' && !stale;
  const word = state === 'signed-in' && stale ? 'Stale' : (STATES[state] ?? state);
  return (
    <span class="state" data-state={isServed ? 'running' : 'waiting'}>
      {isServed && source === 'sample' ? 'Sample' : isServed && source === 'profile' ? 'Profile' : word}
    </span>
  );
}

function SessionFigures({session}: {readonly session: Session}) {
  const {summary, source, scriptURL, kept, expiresAt, changedAt} = session;
  const isOfBackEnd = source === 'back-end';
  return (
    <Facts
      facts={[
        ['Pilot', summary ?? 'None'],
        ['Source', SOURCES[source] ?? source],
        ['Back end', scriptURL],
        ['Since', isOfBackEnd ? formatMoment(changedAt) : undefined],
        ['Until', expiresAt === undefined ? undefined : formatMoment(expiresAt)],
        ['Kept', kept === undefined ? undefined : (PLACES[kept] ?? kept)],
      ]}
    />
  );
}

/** The reason why the session is stale or has ended, with advice. */
function SessionProblem({session: {state, stale, problem}}: {readonly session: Session}) {
  if (!stale && state !== 'expired') return null;
  return (
    <div class="note warning">
      <p>
        {state === 'expired'
          ? 'The session has ended: plugins see no pilot until one signs in.'
          : 'Plugins get the last known identity: the airline has not confirmed it since. The service tries again by itself.'}
      </p>
      {problem?.detail !== undefined && <p>{problem.detail}</p>}
      {problem?.advice !== undefined && <p class="quiet">{problem.advice}</p>}
    </div>
  );
}

function SessionActions({overview, session}: {readonly overview: OverviewState; readonly session: Session}) {
  const {state, source, scriptURL} = session;
  const isBusy = overview.sessionChanges.isSending.value;
  if (source === 'back-end' && state === 'signed-in')
    return (
      <div class="buttons">
        <button type="button" {...clickIf(!isBusy, () => void overview.signOut())}>
          Sign out
        </button>
        <button type="button" {...clickIf(!isBusy, () => void overview.verify())}>
          Ask the airline now
        </button>
      </div>
    );
  if (source === 'back-end' || state === 'expired') return <SignInForm overview={overview} />;
  if (scriptURL === undefined) return null;
  return (
    <details>
      <summary>Sign in at the airline</summary>
      <SignInForm overview={overview} />
    </details>
  );
}
