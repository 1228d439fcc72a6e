import type {Pilot} from '../service/documents.ts';
import {clickIf} from '../shell/click-if.ts';
import {FailureNote} from '../shell/failure-note.tsx';
import type {IdentityState} from './identity-state.ts';

/** The sample pilots, and the choice of one: what identities of real pilots have, and plugins tend to forget. */
export function PilotChoice({identity}: {readonly identity: IdentityState}) {
  const list = identity.pilots.value.value;
  const failure = identity.choiceFailure.value;
  if (list === undefined) return null;
  return (
    <section class="card" aria-labelledby="pilots-title">
      <h2 id="pilots-title">Sample pilots</h2>
      <p class="quiet">
        {list.current === undefined
          ? 'The identity is not a sample now: a profile or a real pilot is never replaced.'
          : 'See how plugins cope with other pilots. They are started again for each.'}
      </p>
      {failure !== undefined && <FailureNote failure={failure} />}
      <ul class="pilots">
        {list.pilots.map(pilot => (
          <PilotItem key={pilot.name} pilot={pilot} current={list.current} identity={identity} />
        ))}
      </ul>
    </section>
  );
}

interface PilotItemProps {
  readonly pilot: Pilot;
  readonly current: string | undefined;
  readonly identity: IdentityState;
}

function PilotItem({pilot: {name, description, summary}, current, identity}: PilotItemProps) {
  const isCurrent = name === current;
  return (
    <li class="apart" data-current={isCurrent} tabIndex={-1} data-home>
      <div class="pilot-text">
        <p>
          <strong>{name}</strong>
        </p>
        <p>{description}</p>
        {summary !== undefined && (
          <p class="quiet pilot-summary">
            <bdi>{summary}</bdi>
          </p>
        )}
      </div>
      {isCurrent ? (
        <span class="state" data-state="running">
          Served
        </span>
      ) : (
        <button type="button" {...clickIf(current !== undefined, () => void identity.use(name))}>
          Serve<span class="hidden"> {name}</span>
        </button>
      )}
    </li>
  );
}
