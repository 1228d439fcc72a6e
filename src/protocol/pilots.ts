import type {PilotList} from '../domain/pilots.ts';
import type {ShapeOf} from '../domain/shape.ts';
import {readSmallDocument} from './small-document.ts';
import {readDocument} from './text/read-document.ts';

/** Maximum size of the body of a choice of a pilot, in bytes: one name. */
export const PILOT_CHOICE_BYTES_MAX = 16 * 1024;

/** Writes the sample pilots. */
export function formatPilots(list: PilotList): string {
  return JSON.stringify(list);
}

/** Reads what {@link formatPilots} writes. @throws {UnexpectedDocument} */
export function readPilots(json: string): PilotList {
  return readDocument<PilotList>(json, PILOTS);
}

/** Writes the choice of a pilot. */
export function formatPilotChoice(name: string): string {
  return JSON.stringify({name});
}

/**
 * Reads what {@link formatPilotChoice} writes.
 *
 * @returns The name of the pilot.
 * @throws {AppError} `invalid-json`, `value-too-deep`; `invalid-pilot-choice` with the path of each problem.
 */
export function readPilotChoice(body: Uint8Array): string {
  const read = readSmallDocument(
    body,
    root => root.string('name'),
    problems => ({code: 'invalid-pilot-choice', problems}),
  );
  return read ?? '';
}

const PILOTS: ShapeOf<PilotList> = {
  pilots: [{name: 'string', description: 'string', 'summary?': 'string'}],
  'current?': 'string',
};
