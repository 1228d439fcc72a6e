import './flight.css';
import {useEffect} from 'preact/hooks';
import {Command} from '../shell/command.tsx';
import {EmptyState} from '../shell/empty-state.tsx';
import {FailureNote} from '../shell/failure-note.tsx';
import {serviceCommand} from '../shell/format/example-commands.ts';
import type {PageProps} from '../shell/page-props.ts';
import {FlightControls, StartForm} from './flight-controls.tsx';
import {FlightView} from './flight-view.tsx';

/** The flight that plugins see. */
export function FlightPage({state}: PageProps) {
  const {flight: flights} = state;
  useEffect(() => {
    const left = new AbortController();
    void flights.follow(left.signal);
    return () => left.abort();
  }, [flights]);
  const flight = flights.flight.value;
  const failure = flights.failure.value;
  return (
    <section class="page" aria-labelledby="page-title">
      <h1 id="page-title">Flight</h1>
      <p class="quiet">Plugins see this flight as that of the simulator.</p>
      {failure !== undefined && <FailureNote failure={failure} />}
      {flight === null && (
        <div class="card">
          <EmptyState glyph="flight" title="No flight runs.">
            <p>Start one below, or from a terminal:</p>
            <Command text={serviceCommand('flight start')} />
          </EmptyState>
        </div>
      )}
      {flight !== null && flight !== undefined && (
        <div class="card flight">
          <FlightView
            flight={flight}
            track={flights.track.value}
            darkMode={state.darkMode.value}
            startedBy={nameOf(flight.startedBy, id => state.plugin(id)?.name)}
          >
            <FlightControls state={flights} flight={flight} />
          </FlightView>
        </div>
      )}
      <details class="card flight-start" open={flight === null}>
        <summary data-home>
          <h2>{flight ? 'Start another flight' : 'Start a flight'}</h2>
        </summary>
        <StartForm state={flights} drafts={state.drafts} />
      </details>
    </section>
  );
}

/** Returns the caller that started a flight, for people. */
function nameOf(principal: string | undefined, pluginName: (id: string) => string | undefined): string | undefined {
  const [, id] = /^plugin:(.+)$/.exec(principal ?? '') ?? [];
  return id === undefined ? undefined : (pluginName(id) ?? id);
}
