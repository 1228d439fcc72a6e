import {useSignal} from '@preact/signals';
import type {FlightState, FlightStatus} from './flight-state.ts';
import {phaseName} from './format-flight.ts';

/** Speeds to choose from, in simulated seconds per second. */
const SPEEDS = [1, 2, 10, 60, 600];

interface FlightControlsProps {
  readonly state: FlightState;
  readonly flight: FlightStatus;
}

/** Changes a flight that runs. */
export function FlightControls({state, flight}: FlightControlsProps) {
  return (
    <div class="flight-controls">
      <button type="button" onClick={() => void state.change({action: 'pause'})}>
        {flight.isPaused ? 'Continue' : 'Pause'}
      </button>
      <button type="button" onClick={() => void state.change({action: 'disconnect'})}>
        {flight.isConnected ? 'Disconnect the simulator' : 'Connect the simulator'}
      </button>
      <label>
        Speed
        <select
          value={flight.speed}
          onChange={({currentTarget}) => void state.change({action: 'speed', speed: Number(currentTarget.value)})}
        >
          {[...new Set([...SPEEDS, flight.speed])]
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
        <select
          value={flight.phase}
          onChange={({currentTarget}) => void state.change({action: 'jump', phase: currentTarget.value})}
        >
          {state.phases.value.map(phase => (
            <option key={phase} value={phase}>
              {phaseName(phase)}
            </option>
          ))}
        </select>
      </label>
      <button type="button" onClick={() => void state.stop()}>
        Stop
      </button>
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
    void state.change({action: 'start', from: from.value, to: to.value, speed: speed.value});
  };
  return (
    <form class="flight-controls" onSubmit={start}>
      <label>
        From
        <input
          type="text"
          required
          maxLength={10}
          value={from.value}
          onInput={({currentTarget}) => {
            from.value = currentTarget.value;
          }}
        />
      </label>
      <label>
        To
        <input
          type="text"
          required
          maxLength={10}
          value={to.value}
          onInput={({currentTarget}) => {
            to.value = currentTarget.value;
          }}
        />
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
