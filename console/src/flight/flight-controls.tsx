import type {FlightStatus} from '../service/documents.ts';
import {type Drafts, type Fields, markSent, takeFields} from '../state/drafts.ts';
import type {FlightState} from './flight-state.ts';
import {phaseName} from './format-flight.ts';

/** Speeds to choose from, in simulated seconds per second. */
const SPEEDS = [1, 2, 10, 60, 600];

/** Changes a flight that runs. That of a simulator can only be ended. */
export function FlightControls({state, flight}: {readonly state: FlightState; readonly flight: FlightStatus}) {
  const stop = (
    <button type="button" onClick={() => void state.stop()}>
      Stop
    </button>
  );
  if (flight.seed === undefined) return <div class="flight-controls">{stop}</div>;
  return (
    <div class="flight-controls">
      <button type="button" onClick={() => void state.change({isPaused: !flight.isPaused})}>
        {flight.isPaused ? 'Continue' : 'Pause'}
      </button>
      <button type="button" onClick={() => void state.change({isConnected: !flight.isConnected})}>
        {flight.isConnected ? 'Disconnect the simulator' : 'Connect the simulator'}
      </button>
      <label>
        Speed
        <select
          value={flight.speed}
          onChange={({currentTarget}) => void state.change({speed: Number(currentTarget.value)})}
        >
          {[...new Set([...SPEEDS, flight.speed ?? 1])]
            .sort((one, other) => one - other)
            .map(speed => (
              <option key={speed} value={speed}>
                {speed}×
              </option>
            ))}
        </select>
      </label>
      <label>
        Jump to
        <select value={flight.phase} onChange={({currentTarget}) => void state.change({phase: currentTarget.value})}>
          {state.phases.value.map(phase => (
            <option key={phase} value={phase}>
              {phaseName(phase)}
            </option>
          ))}
        </select>
      </label>
      {stop}
    </div>
  );
}

/** Texts that the form shows at first. */
const INITIAL = {from: 'EDDF', to: 'LPMA', speed: '10'};

/** Starts a flight, in place of the present one. */
export function StartForm({state, drafts}: {readonly state: FlightState; readonly drafts: Drafts}) {
  const draft = drafts.at<Fields>({view: 'flight'});
  const typed = draft.value;
  const {from, to, speed} = {...INITIAL, ...typed};
  const start = async (event: Event): Promise<void> => {
    event.preventDefault();
    await state.start({from, to, speed: Number(speed)});
    if (state.failure.value === undefined) markSent(draft, typed);
  };
  return (
    <form class="flight-controls" onSubmit={start} onInput={takeFields(draft, INITIAL)}>
      <label>
        From
        <input type="text" name="from" required maxLength={10} value={from} />
      </label>
      <label>
        To
        <input type="text" name="to" required maxLength={10} value={to} />
      </label>
      <label>
        Speed
        <input type="number" name="speed" required min={1} max={1000} step="any" value={speed} />
      </label>
      <button type="submit" class="primary">
        Start
      </button>
    </form>
  );
}
