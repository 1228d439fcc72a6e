/** Steps between the lowest and the highest line of an axis. */
const STEPS_MAX = 4;

/** Returns the lowest end of an axis that is at least as high as a value, and some steps of 1, 2 or 5 times a power of ten from 0. */
export function roundEnd(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value / STEPS_MAX));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(each => each * STEPS_MAX >= value) ?? value;
  return Math.ceil(value / step - ROUNDING) * step;
}

/** Returns the ends of an axis: 0, or the lowest value if that is less, and {@link roundEnd} of the highest, or of `endMin`. `null` stands for no value. */
export function axisRange(min: number | null, max: number | null, endMin = 0): [number, number] {
  return [Math.min(0, min ?? 0), roundEnd(Math.max(max ?? 0, endMin))];
}

/** Part of a step that is a mistake of floating-point numbers. */
const ROUNDING = 1e-9;
