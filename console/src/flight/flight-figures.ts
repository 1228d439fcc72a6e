/** Formats an altitude, as the terminal does. */
export function formatFeet(feet: number): string {
  return `${Math.round(feet).toLocaleString('en')} ft`;
}

/** Formats a ground speed. */
export function formatKnots(knots: number): string {
  return `${Math.round(knots).toLocaleString('en')} kt`;
}

/** Formats a distance. */
export function formatMiles(miles: number): string {
  return `${Math.round(miles).toLocaleString('en')} NM`;
}
