import {type Signal, useSignal} from '@preact/signals';
import {Plot} from '../shell/plot/plot.tsx';
import {TIME_STEPS} from '../shell/plot/time-steps.ts';
import {formatFeet, formatKnots, formatMiles} from './flight-figures.ts';
import type {TrackPoint} from './flight-state.ts';
import {formatTimeLabel} from './flight-time.ts';

export interface FlightPlotsProps {
  readonly track: readonly TrackPoint[];
  readonly darkMode: boolean;
}

/** Axes that a flight is plotted over. */
type PlotAxis = 'time' | 'distance';

/** Shortest part of each axis that is shown: a minute, and 5 nautical miles. */
const SHOWN_MIN: Readonly<Record<PlotAxis, number>> = {time: 60, distance: 5};

/** Altitude and ground speed of a flight, over its time or over the distance that it has flown. */
export function FlightPlots({track, darkMode}: FlightPlotsProps) {
  const axis = useSignal<PlotAxis>('time');
  // Over the distance a flight that stands at the gate has one point: the last.
  const points = axis.value === 'time' ? track : track.filter((point, at) => milesOf(track[at + 1]) !== milesOf(point));
  const xs = points.map(point => (axis.value === 'time' ? point.elapsedSeconds : point.flownNauticalMiles));
  const from = xs[0] ?? 0;
  const common = {
    xs,
    rangeX: [from, Math.max(xs.at(-1) ?? 0, from + SHOWN_MIN[axis.value])] as const,
    ...(axis.value === 'time' ? {formatX: formatTimeLabel, stepsX: TIME_STEPS} : {formatX: formatMiles}),
    theme: `${darkMode} ${axis.value}`,
  };
  const last = points.at(-1);
  const altitude = formatFeet(last?.altitudeFeet ?? 0);
  const speed = formatKnots(last?.groundSpeedKnots ?? 0);
  const over = axis.value === 'time' ? 'over time' : 'over distance';
  return (
    <div class="flight-plots">
      <AxisChoice axis={axis} />
      <figure>
        <figcaption>
          <strong>Altitude</strong> <span class="quiet">{altitude}</span>
        </figcaption>
        <Plot
          {...common}
          summary={`Altitude ${over}: now ${altitude}`}
          lines={[
            line(
              'Altitude',
              '--interactive',
              points.map(({altitudeFeet}) => altitudeFeet),
            ),
          ]}
          formatY={formatFeet}
          endYMin={1000}
        />
      </figure>
      <figure>
        <figcaption>
          <strong>Ground speed</strong> <span class="quiet">{speed}</span>
        </figcaption>
        <Plot
          {...common}
          summary={`Ground speed ${over}: now ${speed}`}
          lines={[
            line(
              'Ground speed',
              '--good',
              points.map(({groundSpeedKnots}) => groundSpeedKnots),
            ),
          ]}
          formatY={formatKnots}
          endYMin={100}
        />
      </figure>
    </div>
  );
}

function milesOf(point: TrackPoint | undefined): number | undefined {
  return point?.flownNauticalMiles;
}

function line(label: string, color: string, values: readonly number[]) {
  return {label, color, isFilled: true, values};
}

function AxisChoice({axis}: {readonly axis: Signal<PlotAxis>}) {
  const choose = (chosen: PlotAxis) => () => {
    axis.value = chosen;
  };
  return (
    <fieldset class="view-choice">
      <legend class="hidden">Plot over</legend>
      <button type="button" aria-pressed={axis.value === 'time'} onClick={choose('time')}>
        Over time
      </button>
      <button type="button" aria-pressed={axis.value === 'distance'} onClick={choose('distance')}>
        Over distance
      </button>
    </fieldset>
  );
}
