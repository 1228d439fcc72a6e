import {useSignal} from '@preact/signals';
import {ButtonChoice} from '../shell/button-choice.tsx';
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
const AXIS_NAMES = {time: 'Over time', distance: 'Over distance'} as const;

type PlotAxis = keyof typeof AXIS_NAMES;

/** Shortest part of each axis that is shown: a minute, and 5 nautical miles. */
const SHOWN_MIN: Readonly<Record<PlotAxis, number>> = {time: 60, distance: 5};

/** Altitude and ground speed of a flight, if its simulator has them, over its time or over the distance that it has flown. */
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
  return (
    <div class="flight-plots">
      <ButtonChoice
        legend="Plot over"
        names={AXIS_NAMES}
        chosen={axis.value}
        onChoose={chosen => (axis.value = chosen)}
      />
      {PLOTS.map(({title, figure, format, color, endYMin}) => {
        const last = points.at(-1)?.[figure];
        if (last === undefined) return null;
        const now = format(last);
        return (
          <Plot
            key={title}
            {...common}
            title={title}
            now={now}
            summary={`${title} ${AXIS_NAMES[axis.value].toLowerCase()}: now ${now}`}
            lines={[{label: title, color, isFilled: true, values: points.map(point => point[figure] ?? 0)}]}
            formatY={format}
            endYMin={endYMin}
          />
        );
      })}
    </div>
  );
}

/** Figures of a flight that are plotted. */
const PLOTS = [
  {title: 'Altitude', figure: 'altitudeFeet', format: formatFeet, color: '--interactive', endYMin: 1000},
  {title: 'Ground speed', figure: 'groundSpeedKnots', format: formatKnots, color: '--good', endYMin: 100},
] as const;

function milesOf(point: TrackPoint | undefined): number | undefined {
  return point?.flownNauticalMiles;
}
