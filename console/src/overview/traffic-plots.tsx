import {formatClock} from '../shell/format/format-clock.ts';
import {formatMs, formatShort} from '../shell/format/format-figures.ts';
import {Plot} from '../shell/plot/plot.tsx';
import type {ConsoleState} from '../state/console-state.ts';
import {KEPT_MS, type Traffic, type TrafficPoint} from './traffic.ts';

/** Shortest time that the plots show, in seconds: in five minutes the first points could not be seen. */
const SHOWN_SECONDS_MIN = 60;

/** Requests per second, and how long they take, over the last minutes. */
export function TrafficPlots({state, traffic}: {readonly state: ConsoleState; readonly traffic: Traffic}) {
  const points = traffic.points.value;
  const last = points.at(-1);
  const toX = (last?.atMs ?? Date.now()) / 1000;
  const fromX = Math.max(toX - KEPT_MS / 1000, Math.min((points[0]?.atMs ?? 0) / 1000, toX - SHOWN_SECONDS_MIN));
  const common = {
    xs: points.map(({atMs}) => atMs / 1000),
    rangeX: [fromX, toX] as const,
    formatX: (x: number) => formatClock(x * 1000),
    theme: state.darkMode.value,
  };
  const valuesOf = (pick: (point: TrafficPoint) => number | undefined) => points.map(point => pick(point) ?? null);
  const rates = valuesOf(each => each.requestsPerSecond);
  const rate = `${formatShort(last?.requestsPerSecond ?? 0)} per second`;
  const times =
    last?.medianMs === undefined || last.slowMs === undefined
      ? 'no requests now'
      : `half within ${formatMs(last.medianMs)}, 99 % within ${formatMs(last.slowMs)}`;
  return (
    <div class="plots">
      <Plot
        {...common}
        title="Rate"
        now={rate}
        summary={`Requests in the last minutes; now ${rate}`}
        lines={[{label: 'Requests', color: '--interactive', isFilled: true, values: rates}]}
        formatY={formatShort}
      />
      <Plot
        {...common}
        title="Time to answer"
        now={times}
        summary={`Time to answer in the last minutes; now ${times}`}
        lines={[
          {label: '99 %', color: '--warning', values: valuesOf(each => each.slowMs)},
          {label: 'Half', color: '--good', isFilled: true, values: valuesOf(each => each.medianMs)},
        ]}
        formatY={formatMs}
      />
    </div>
  );
}
