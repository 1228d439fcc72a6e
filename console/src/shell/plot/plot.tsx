import 'uplot/dist/uPlot.min.css';
import './plot.css';
import {useEffect, useRef} from 'preact/hooks';
import UPlot from 'uplot';
import {lonePoints} from './lone-points.ts';

/** A line of a plot. */
export interface PlotLine {
  readonly label: string;
  /** Name of a colour of the theme, such as `--interactive`. */
  readonly color: string;
  /** True if the area below the line is filled. @default {false} */
  readonly isFilled?: boolean;
  /** One value for each time; `null` is a gap. */
  readonly values: readonly (number | null)[];
}

export interface PlotProps {
  /** Present state of the plot in words, for users who do not see it. */
  readonly summary: string;
  /** Times in seconds since the Unix epoch, or in any other unit that {@link PlotProps.formatX} formats; in rising order. */
  readonly xs: readonly number[];
  /** Lines, the same number in every call. */
  readonly lines: readonly PlotLine[];
  /** First and last x of the plot. @default {those of the data} */
  readonly rangeX?: readonly [number, number] | undefined;
  readonly formatX: (x: number) => string;
  readonly formatY: (value: number) => string;
  /** Height in pixels. @default {140} */
  readonly height?: number;
  /** Changes with the theme, whose colours the plot is drawn with. */
  readonly theme: unknown;
}

/** A plot of lines over x, as wide as its container. */
export function Plot({summary, xs, lines, rangeX, formatX, formatY, height = 140, theme}: PlotProps) {
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const [fromX, toX] = rangeX ?? [undefined, undefined];
  const data = [xs, ...lines.map(({values}) => values)] as unknown as UPlot.AlignedData;
  // Drawn again from the beginning only if the theme changes: colours are read then.
  useEffect(() => {
    const container = element.current;
    if (container === null) return;
    const made = new UPlot(
      {...optionsOf(container, lines, {formatX, formatY}), width: container.clientWidth, height},
      data,
      container,
    );
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({width: container.clientWidth, height}));
    resized.observe(container);
    return () => {
      resized.disconnect();
      made.destroy();
    };
  }, [theme, height]);
  useEffect(() => {
    plot.current?.setData(data, fromX === undefined);
    if (fromX !== undefined && toX !== undefined) plot.current?.setScale('x', {min: fromX, max: toX});
  });
  return <div class="plot" ref={element} role="img" aria-label={summary} />;
}

interface PlotFormats {
  readonly formatX: (x: number) => string;
  readonly formatY: (value: number) => string;
}

function optionsOf(
  container: HTMLElement,
  lines: readonly PlotLine[],
  {formatX, formatY}: PlotFormats,
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
    scales: {x: {time: false}, y: {range: (_plot, _min, max) => [0, max > 0 ? max * 1.1 : 1]}},
    axes: [
      {...axis, grid: {show: false}, size: 24, space: 90, values: (_plot, ticks) => ticks.map(formatX)},
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
