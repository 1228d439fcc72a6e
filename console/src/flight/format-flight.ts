import type {FlightStatus} from './flight-state.ts';

/** Returns a phase in words. */
export function phaseName(phase: string): string {
  const words = phase.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the number of a flight, with the code of its airline before it if the number has none. */
export function flightTitle({number, code = ''}: Pick<FlightStatus, 'number' | 'code'>): string {
  return number.startsWith(code) ? number : `${code}${number}`;
}
