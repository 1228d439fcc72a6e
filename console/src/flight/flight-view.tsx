import type {ComponentChildren} from 'preact';
import type {FlightStatus} from '../service/documents.ts';
import {Facts} from '../shell/facts.tsx';
import {formatMiles} from './flight-figures.ts';
import {FlightPlots, type FlightPlotsProps} from './flight-plots.tsx';
import {formatFlightTime} from './flight-time.ts';
import {describeTouchdown, flightTitle, phaseName, routeOf} from './format-flight.ts';

interface FlightViewProps extends FlightPlotsProps {
  readonly flight: FlightStatus;
  /** Shown below its title. */
  readonly children: ComponentChildren;
  /** Plugin that started it, for people. */
  readonly startedBy?: string | undefined;
}

/** A flight: where it is, and its altitude and speed so far. */
export function FlightView({flight, track, darkMode, startedBy, children}: FlightViewProps) {
  const {from, to, phase, headingDegrees, toGoNauticalMiles} = flight;
  const route = routeOf(flight);
  const states = [...(flight.isPaused ? ['paused'] : []), ...(flight.isConnected ? [] : ['not connected'])];
  return (
    <>
      <p class="flight-title">
        <strong>
          <bdi>{flightTitle(flight)}</bdi>
          {route !== undefined && (
            <>
              {' '}
              · <bdi>{route}</bdi>
            </>
          )}
        </strong>{' '}
        <span class="state" data-state={states.length === 0 ? 'running' : 'waiting'}>
          {[phaseName(phase), ...states].join(', ')}
        </span>
      </p>
      {children}
      <FlightPlots track={track} darkMode={darkMode} />
      <Facts
        facts={[
          ['From', from && `${from.name} (${from.code})`],
          ['To', to && `${to.name} (${to.code})`],
          ['Aircraft', describeAircraft(flight)],
          ['Route', flight.route?.join(' ') || undefined],
          ['Fuel', flight.fuel?.toLocaleString('en')],
          ['Passengers', flight.pax?.toLocaleString('en')],
          ['Started by', startedBy],
          ['Simulator', flight.seed === undefined ? flight.simulator : undefined],
          ['Landing', describeTouchdown(flight)],
          ['Noticed', flight.notices.join(', ') || undefined],
          ['Heading', headingDegrees === undefined ? undefined : `${headingDegrees.toFixed(0)}°`],
          ['Flown', formatMiles(flight.flownNauticalMiles)],
          ['To go', toGoNauticalMiles === undefined ? undefined : formatMiles(toGoNauticalMiles)],
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
