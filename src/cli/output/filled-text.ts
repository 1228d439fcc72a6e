/** Describes the members of a profile that come from the sample; undefined for a whole profile. */
export function describeFilled(filled: readonly string[] | undefined): string | undefined {
  if (filled === undefined) return undefined;
  const shown = filled.slice(0, SHOWN_MAX).join(', ');
  return `from the sample: ${shown}${filled.length > SHOWN_MAX ? ` and ${filled.length - SHOWN_MAX} more` : ''}`;
}

/** Maximum number of members that are named. */
const SHOWN_MAX = 4;
