/** Height of a plot, in pixels. */
export const PLOT_HEIGHT = 140;

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
  /** Times in seconds since the Unix epoch, or in any other unit that {@link PlotProps.formatX} formats; ascending. */
  readonly xs: readonly number[];
  /** Lines, the same number in every call. */
  readonly lines: readonly PlotLine[];
  /** First and last x of the plot. @default {those of the data} */
  readonly rangeX?: readonly [number, number] | undefined;
  readonly formatX: (x: number) => string;
  readonly formatY: (value: number) => string;
  /** Steps that x may have from label to label, in rising order. @default {round decimal numbers} */
  readonly stepsX?: readonly number[] | undefined;
  /** Least end of the axis of y: below it the labels of whole numbers would repeat. @default {1} */
  readonly endYMin?: number;
  /** Changes with the theme, whose colours the plot is drawn with. */
  readonly theme: unknown;
}
