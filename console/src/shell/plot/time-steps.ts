/** Steps of times that people count in, in seconds: parts of a minute, of an hour, and of a day. */
export const TIME_STEPS: readonly number[] = [1, 2, 5, 10, 15, 30]
  .flatMap(step => [step, step * 60])
  .concat([3600, 7200, 10_800, 21_600, 43_200])
  .toSorted((one, other) => one - other);
