import {flightTitle, routeOf} from '../flight/format-flight.ts';
import {formatRoute} from '../route.ts';
import type {ConsoleState} from '../state/console-state.ts';

/** The pilot, and the flight while one is simulated, below the name of the airline. */
export function Crew({state}: {readonly state: ConsoleState}) {
  const identity = state.identity.value.value;
  const flight = state.flight.flight.value;
  if (identity === undefined) return null;
  const pilot = identity?.va_user;
  const name = pilot && `${pilot.firstName} ${pilot.lastName}`;
  return (
    <div class="crew">
      {pilot === undefined ? (
        <p>No pilot is signed in</p>
      ) : (
        <p title={`${name}, ${pilot.pilotID}, ${pilot.rank}`}>
          <bdi>
            <strong>{name}</strong> {pilot.pilotID}
          </bdi>
        </p>
      )}
      {flight != null && (
        <p>
          <a href={formatRoute({view: 'flight'})}>
            <span class="hidden">Flight </span>
            <bdi>
              <strong>{flightTitle(flight)}</strong> {routeOf(flight)}
            </bdi>
            {flight.isPaused && ', paused'}
          </a>
        </p>
      )}
    </div>
  );
}
