import type {ComponentChildren} from 'preact';
import {Facts} from '../shell/facts.tsx';
import {formatMiles} from './flight-figures.ts';
import {FlightPlots, type FlightPlotsProps} from './flight-plots.tsx';
import type {FlightStatus} from './flight-state.ts';
import {formatFlightTime} from './flight-time.ts';
import {flightTitle, phaseName} from './format-flight.ts';

interface FlightViewProps extends FlightPlotsProps {
  readonly flight: FlightStatus;
  /** Shown below its title. */
  readonly children: ComponentChildren;
  /** Plugin that started it, for people. */
  readonly startedBy?: string | undefined;
}

/** A flight: where it is, and its altitude and speed so far. */
export function FlightView({flight, track, darkMode, startedBy, children}: FlightViewProps) {
  const {from, to, phase, headingDegrees} = flight;
  const states = [...(flight.isPaused ? ['paused'] : []), ...(flight.isConnected ? [] : ['not connected'])];
  return (
    <>
      <p class="flight-title">
        <strong>
          <bdi>{flightTitle(flight)}</bdi> · <bdi>{from.code}</bdi> – <bdi>{to.code}</bdi>
        </strong>{' '}
        <span class="state" data-state={states.length === 0 ? 'running' : 'waiting'}>
          {[phaseName(phase), ...states].join(', ')}
        </span>
      </p>
      {children}
      <FlightPlots track={track} darkMode={darkMode} />
      <Facts
        facts={[
          ['From', `${from.name} (${from.code})`],
          ['To', `${to.name} (${to.code})`],
          ['Aircraft', describeAircraft(flight)],
          ['Route', flight.route?.join(' ') || undefined],
          ['Fuel', flight.fuel?.toLocaleString('en')],
          ['Passengers', flight.pax?.toLocaleString('en')],
          ['Started by', startedBy],
          ['Heading', `${headingDegrees.toFixed(0)}°`],
          ['Flown', formatMiles(flight.flownNauticalMiles)],
          ['To go', formatMiles(flight.toGoNauticalMiles)],
          ['Time', formatFlightTime(flight.elapsedSeconds)],
        ]}
      />
    </>
  );
}

function describeAircraft({aircraft}: FlightStatus): string | undefined {
  if (aircraft === undefined) return undefined;
  const {code, name, registration} = aircraft;
  return [...new Set([code, name, registration])].filter(Boolean).join(', ');
}
