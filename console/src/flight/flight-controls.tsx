import {useSignal} from '@preact/signals';
import type {FlightStatus} from '../service/documents.ts';
import {takeText} from '../shell/set-to.ts';
import type {FlightState} from './flight-state.ts';
import {phaseName} from './format-flight.ts';

/** Speeds to choose from, in simulated seconds per second. */
const SPEEDS = [1, 2, 10, 60, 600];

interface FlightControlsProps {
  readonly state: FlightState;
  readonly flight: FlightStatus;
}

/** Changes a flight that runs. That of a simulator can only be ended. */
export function FlightControls({state, flight}: FlightControlsProps) {
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

/** Starts a flight, in place of the present one. */
export function StartForm({state}: {readonly state: FlightState}) {
  const from = useSignal('EDDF');
  const to = useSignal('LPMA');
  const speed = useSignal(10);
  const start = (event: Event): void => {
    event.preventDefault();
    void state.start({from: from.value, to: to.value, speed: speed.value});
  };
  return (
    <form class="flight-controls" onSubmit={start}>
      <label>
        From
        <input type="text" required maxLength={10} value={from.value} onInput={takeText(from)} />
      </label>
      <label>
        To
        <input type="text" required maxLength={10} value={to.value} onInput={takeText(to)} />
      </label>
      <label>
        Speed
        <input
          type="number"
          required
          min={1}
          max={1000}
          step="any"
          value={speed.value}
          onInput={({currentTarget}) => {
            speed.value = currentTarget.valueAsNumber;
          }}
        />
      </label>
      <button type="submit" class="primary">
        Start
      </button>
    </form>
  );
}
