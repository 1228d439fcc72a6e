import type {FlightStatus} from '../service/documents.ts';

/** Returns a phase in words. */
export function phaseName(phase: string): string {
  const words = phase.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the number of a flight, with the code of its airline before it if the number has none; without a plan the name of its simulator. */
export function flightTitle({
  number,
  code = '',
  simulator,
}: Pick<FlightStatus, 'number' | 'code' | 'simulator'>): string {
  if (number === undefined) return simulator;
  return number.startsWith(code) ? number : `${code}${number}`;
}

/** Returns the airports of a flight; undefined without a plan. */
export function routeOf({from, to}: Pick<FlightStatus, 'from' | 'to'>): string | undefined {
  return from === undefined && to === undefined ? undefined : `${from?.code ?? '…'} – ${to?.code ?? '…'}`;
}

/** Describes the last landing; undefined before it. Frames are too far apart to be exact. */
export function describeTouchdown({touchdown}: Pick<FlightStatus, 'touchdown'>): string | undefined {
  const {verticalSpeedFeetPerMinute: rate, gForce} = touchdown ?? {};
  const parts = [rate === undefined ? '' : `about ${rate} ft/min`, gForce === undefined ? '' : `${gForce} g`];
  return parts.filter(part => part !== '').join(', ') || undefined;
}
