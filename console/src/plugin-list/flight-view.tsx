import {useSignal} from '@preact/signals';
import type {FunctionComponent} from 'preact';
import {useEffect} from 'preact/hooks';
import {Facts} from '../shell/facts.tsx';
import type {AltitudePlotProps} from './altitude-plot.tsx';
import type {FlightStatus} from './flight-state.ts';
import {formatFeet, formatMiles, formatMinutes, phaseName} from './format-flight.ts';

interface FlightViewProps extends AltitudePlotProps {
  readonly flight: FlightStatus;
}

/** A flight: where it is, and its altitude over time. */
export function FlightView({flight, altitude, darkMode}: FlightViewProps) {
  const {number, from, to, phase, altitudeFeet, groundSpeedKnots, headingDegrees, speed} = flight;
  const states = [...(flight.isPaused ? ['paused'] : []), ...(flight.isConnected ? [] : ['not connected'])];
  const Altitude = useAltitudePlot();
  return (
    <>
      <p class="flight-title">
        <strong>
          CRW{number} · {from.code} – {to.code}
        </strong>{' '}
        <span class="state" data-state={states.length === 0 ? 'running' : 'waiting'}>
          {[phaseName(phase), ...states].join(', ')}
        </span>
      </p>
      {Altitude !== undefined && <Altitude altitude={altitude} darkMode={darkMode} />}
      <Facts
        facts={[
          ['Route', `${from.name} to ${to.name}`],
          ['Altitude', formatFeet(altitudeFeet)],
          ['Ground speed', `${groundSpeedKnots.toFixed(0)} kn`],
          ['Heading', `${headingDegrees.toFixed(0)}°`],
          ['Flown', formatMiles(flight.flownNauticalMiles)],
          ['To go', formatMiles(flight.toGoNauticalMiles)],
          ['Time', `${formatMinutes(flight.elapsedSeconds)} of the simulation, at ${speed} times the speed`],
        ]}
      />
    </>
  );
}

/** Loads the plot, which is larger than the rest of the page. @returns Undefined until it is there, and if it cannot be loaded. */
function useAltitudePlot(): FunctionComponent<AltitudePlotProps> | undefined {
  const loaded = useSignal<FunctionComponent<AltitudePlotProps> | undefined>(undefined);
  useEffect(() => {
    const show = ({AltitudePlot}: {readonly AltitudePlot: FunctionComponent<AltitudePlotProps>}): void => {
      loaded.value = AltitudePlot;
    };
    import('./altitude-plot.tsx').then(show, () => {});
  }, [loaded]);
  return loaded.value;
}
