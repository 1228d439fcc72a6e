import type {PilotList} from '../domain/identity/pilots.ts';
import type {ShapeOf} from '../domain/shape.ts';
import {readDocument} from './text/read-document.ts';

/** Writes the sample pilots. */
export function formatPilots(list: PilotList): string {
  return JSON.stringify(list);
}

/** Reads what {@link formatPilots} writes. @throws {UnexpectedDocument} */
export function readPilots(json: string): PilotList {
  return readDocument<PilotList>(json, PILOTS);
}

/** Writes the choice of a pilot: `PILOT_CHOICE` reads it. */
export function formatPilotChoice(name: string): string {
  return JSON.stringify({name});
}

const PILOTS: ShapeOf<PilotList> = {
  pilots: [{name: 'string', description: 'string', 'summary?': 'string'}],
  'current?': 'string',
};
