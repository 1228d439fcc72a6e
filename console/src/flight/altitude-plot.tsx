import {Plot} from '../shell/plot/plot.tsx';
import type {AltitudePoint} from './flight-state.ts';
import {formatFeet, formatMinutes} from './format-flight.ts';

export interface AltitudePlotProps {
  readonly altitude: readonly AltitudePoint[];
  readonly darkMode: boolean;
}

/** The altitude of a flight over its time. */
export function AltitudePlot({altitude, darkMode}: AltitudePlotProps) {
  const last = altitude.at(-1)?.altitudeFeet ?? 0;
  const values = altitude.map(({altitudeFeet}) => altitudeFeet);
  return (
    <Plot
      summary={`Altitude over time: now ${formatFeet(last)}`}
      xs={altitude.map(({elapsedSeconds}) => elapsedSeconds)}
      lines={[{label: 'Altitude', color: '--interactive', isFilled: true, values}]}
      formatX={formatMinutes}
      formatY={formatFeet}
      theme={darkMode}
    />
  );
}
