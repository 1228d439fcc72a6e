import {useEffect, useRef} from 'preact/hooks';
import UPlot from 'uplot';
import {lonePoints} from './lone-points.ts';
import {PLOT_HEIGHT, type PlotLine, type PlotProps} from './plot-props.ts';
import {axisRange} from './round-steps.ts';

/** A plot that is drawn with uPlot. */
export function DrawnPlot({summary, xs, lines, rangeX, theme, ...formats}: PlotProps) {
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const [fromX, toX] = rangeX ?? [undefined, undefined];
  const data = [xs, ...lines.map(({values}) => values)] as unknown as UPlot.AlignedData;
  // Drawn again from the beginning only if the theme changes: colours are read then.
  useEffect(() => {
    const container = element.current;
    if (container === null) return;
    const made = new UPlot(
      {...optionsOf(container, lines, formats), width: container.clientWidth, height: PLOT_HEIGHT},
      data,
      container,
    );
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({width: container.clientWidth, height: PLOT_HEIGHT}));
    resized.observe(container);
    return () => {
      resized.disconnect();
      made.destroy();
    };
  }, [theme]);
  useEffect(() => {
    plot.current?.setData(data, fromX === undefined);
    if (fromX !== undefined && toX !== undefined) plot.current?.setScale('x', {min: fromX, max: toX});
  });
  return <div class="plot" ref={element} role="img" aria-label={summary} />;
}

type PlotFormats = Pick<PlotProps, 'formatX' | 'formatY' | 'stepsX' | 'endYMin'>;

function optionsOf(
  container: HTMLElement,
  lines: readonly PlotLine[],
  {formatX, formatY, stepsX, endYMin}: PlotFormats,
): Omit<UPlot.Options, 'width' | 'height'> {
  const colorOf = (name: string): string => resolveColor(container, name);
  const axis = {
    stroke: colorOf('--text-quiet'),
    font: `12px ${getComputedStyle(container).fontFamily}`,
    grid: {stroke: colorOf('--line'), width: 1},
    ticks: {show: false},
  };
  return {
    legend: {show: false},
    cursor: {show: false},
    // On the right, half of the last time below the plot.
    padding: [8, 32, 0, 0],
    scales: {x: {time: false}, y: {range: (_plot, min, max) => axisRange(min, max, endYMin)}},
    axes: [
      {
        ...{...axis, grid: {show: false}, size: 24, space: 90, values: (_plot, ticks) => ticks.map(formatX)},
        // Labels of given steps are short.
        ...(stepsX === undefined ? {} : {incrs: [...stepsX], space: 56}),
      },
      {...axis, size: 64, space: 36, values: (_plot, ticks) => ticks.map(formatY)},
    ],
    series: [
      {},
      ...lines.map(({label, color, isFilled = false}) => ({
        label,
        stroke: colorOf(color),
        width: 1.5,
        points: {show: false, size: 6, filter: (plot: UPlot, at: number) => lonePoints(plot.data[at] ?? [])},
        ...(isFilled ? {fill: `color-mix(in srgb, ${colorOf(color)} 18%, transparent)`} : {}),
      })),
    ],
  };
}

/** Resolves a colour of the theme, which a canvas does not know by its name. */
function resolveColor(container: HTMLElement, name: string): string {
  const {style} = container;
  style.color = `var(${name})`;
  const {color} = getComputedStyle(container);
  style.color = '';
  return color;
}
