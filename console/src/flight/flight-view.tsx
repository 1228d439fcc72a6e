import type {ComponentChildren} from 'preact';
import {Facts} from '../shell/facts.tsx';
import {AltitudePlot, type AltitudePlotProps} from './altitude-plot.tsx';
import type {FlightStatus} from './flight-state.ts';
import {formatFeet, formatMiles, formatMinutes, phaseName} from './format-flight.ts';

interface FlightViewProps extends AltitudePlotProps {
  readonly flight: FlightStatus;
  /** Shown below its title. */
  readonly children: ComponentChildren;
  /** Plugin that started it, for people. */
  readonly startedBy?: string | undefined;
}

/** A flight: where it is, and its altitude over time. */
export function FlightView({flight, altitude, darkMode, startedBy, children}: FlightViewProps) {
  const {from, to, phase, altitudeFeet, groundSpeedKnots, headingDegrees, speed} = flight;
  const states = [...(flight.isPaused ? ['paused'] : []), ...(flight.isConnected ? [] : ['not connected'])];
  return (
    <>
      <p class="flight-title">
        <strong>
          <bdi>{titleOf(flight)}</bdi> · <bdi>{from.code}</bdi> – <bdi>{to.code}</bdi>
        </strong>{' '}
        <span class="state" data-state={states.length === 0 ? 'running' : 'waiting'}>
          {[phaseName(phase), ...states].join(', ')}
        </span>
      </p>
      {children}
      <AltitudePlot altitude={altitude} darkMode={darkMode} />
      <Facts
        facts={[
          ['From', `${from.name} (${from.code})`],
          ['To', `${to.name} (${to.code})`],
          ['Aircraft', describeAircraft(flight)],
          ['Route', flight.route?.join(' ') || undefined],
          ['Fuel', flight.fuel?.toLocaleString('en')],
          ['Passengers', flight.pax?.toLocaleString('en')],
          ['Started by', startedBy],
          ['Altitude', formatFeet(altitudeFeet)],
          ['Ground speed', `${groundSpeedKnots.toFixed(0)} kt`],
          ['Heading', `${headingDegrees.toFixed(0)}°`],
          ['Flown', formatMiles(flight.flownNauticalMiles)],
          ['To go', formatMiles(flight.toGoNauticalMiles)],
          [
            'Time',
            speed === 1
              ? formatMinutes(flight.elapsedSeconds)
              : `${formatMinutes(flight.elapsedSeconds)}, ${speed} times as fast`,
          ],
        ]}
      />
    </>
  );
}

/** Returns the number of a flight, with the code of its airline before it if the number has none. */
function titleOf({number, code = ''}: FlightStatus): string {
  return number.startsWith(code) ? number : `${code}${number}`;
}

function describeAircraft({aircraft}: FlightStatus): string | undefined {
  if (aircraft === undefined) return undefined;
  const {code, name, registration} = aircraft;
  return [...new Set([code, name, registration])].filter(Boolean).join(', ');
}
