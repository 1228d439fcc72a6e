import 'uplot/dist/uPlot.min.css';
import './plot.css';
import {usePart} from '../use-part.ts';
import {PLOT_HEIGHT, type PlotProps} from './plot-props.ts';

interface TitledPlotProps extends PlotProps {
  readonly title: string;
  /** Present value. */
  readonly now: string;
}

/** A plot of lines over x below its title, as wide as its container. The library that draws it, larger than most pages, is loaded once there is something to draw. */
export function Plot({title, now, ...props}: TitledPlotProps) {
  const {value: Drawn} = usePart(async () => (await import('./drawn-plot.tsx')).DrawnPlot, props.xs.length > 0);
  return (
    <figure>
      <figcaption>
        <strong>{title}</strong> <span class="quiet">{now}</span>
      </figcaption>
      {Drawn === undefined ? <div class="plot" style={{height: `${PLOT_HEIGHT}px`}} /> : <Drawn {...props} />}
    </figure>
  );
}
