/** Finds the values between two gaps, which a line does not show. @returns Their indexes. */
export function lonePoints(values: ArrayLike<number | null | undefined>): number[] {
  const isGap = (index: number): boolean => typeof values[index] !== 'number';
  return Array.from(values, (_, index) => index).filter(index => !isGap(index) && isGap(index - 1) && isGap(index + 1));
}
