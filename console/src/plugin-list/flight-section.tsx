import {useSignal} from '@preact/signals';
import {useEffect, useMemo} from 'preact/hooks';
import {FailureNote} from '../shell/failure-note.tsx';
import {FlightControls, StartForm} from './flight-controls.tsx';
import {FlightState} from './flight-state.ts';
import {FlightView} from './flight-view.tsx';

/** The simulated flight. It is asked for only while it is open. */
export function FlightSection({darkMode}: {readonly darkMode: boolean}) {
  const isOpen = useSignal(false);
  return (
    <details
      class="card flight"
      open={isOpen.value}
      onToggle={({currentTarget}) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>
        <h2>Simulated flight</h2>
      </summary>
      <p class="quiet">Plugins see this flight as if a simulator were connected.</p>
      {isOpen.value && <OpenFlight darkMode={darkMode} />}
    </details>
  );
}

function OpenFlight({darkMode}: {readonly darkMode: boolean}) {
  const state = useMemo(() => new FlightState(), []);
  useEffect(() => {
    const left = new AbortController();
    void state.follow(left.signal);
    return () => left.abort();
  }, [state]);
  const flight = state.flight.value;
  const failure = state.failure.value;
  return (
    <>
      {failure !== undefined && <FailureNote failure={failure} />}
      {flight === null && <p>No flight runs.</p>}
      {flight !== null && flight !== undefined && (
        <>
          <FlightView flight={flight} altitude={state.altitude.value} darkMode={darkMode} />
          <FlightControls state={state} flight={flight} />
        </>
      )}
      <StartForm state={state} />
    </>
  );
}
