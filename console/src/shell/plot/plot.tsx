import 'uplot/dist/uPlot.min.css';
import './plot.css';
import {useSignal} from '@preact/signals';
import type {FunctionComponent} from 'preact';
import {useEffect} from 'preact/hooks';
import {PLOT_HEIGHT, type PlotProps} from './plot-props.ts';

/** A plot of lines over x, as wide as its container. The library that draws it, larger than most pages, is loaded once there is something to draw. */
export function Plot(props: PlotProps) {
  const loaded = useSignal<FunctionComponent<PlotProps> | undefined>(undefined);
  const isEmpty = props.xs.length === 0;
  useEffect(() => {
    if (isEmpty) return;
    const show = ({DrawnPlot}: {readonly DrawnPlot: FunctionComponent<PlotProps>}): void => {
      loaded.value = DrawnPlot;
    };
    // If it fails, the service is away, which a banner reports.
    import('./drawn-plot.tsx').then(show, () => {});
  }, [loaded, isEmpty]);
  const Drawn = loaded.value;
  if (Drawn !== undefined) return <Drawn {...props} />;
  return <div class="plot" style={{height: `${props.height ?? PLOT_HEIGHT}px`}} />;
}
