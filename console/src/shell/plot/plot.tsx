import 'uplot/dist/uPlot.min.css';
import './plot.css';
import {usePart} from '../use-part.ts';
import {PLOT_HEIGHT, type PlotProps} from './plot-props.ts';

/** A plot of lines over x, as wide as its container. The library that draws it, larger than most pages, is loaded once there is something to draw. */
export function Plot(props: PlotProps) {
  const {value: Drawn} = usePart(async () => (await import('./drawn-plot.tsx')).DrawnPlot, props.xs.length > 0);
  if (Drawn !== undefined) return <Drawn {...props} />;
  return <div class="plot" style={{height: `${props.height ?? PLOT_HEIGHT}px`}} />;
}
