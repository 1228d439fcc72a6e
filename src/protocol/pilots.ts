import type {PilotList} from '../domain/identity/pilots.ts';
import type {ShapeOf} from '../domain/shape.ts';
import {readDocument} from './text/read-document.ts';

/** Reads the sample pilots from an answer. @throws {UnexpectedDocument} */
export function readPilots(json: string): PilotList {
  return readDocument<PilotList>(json, PILOTS);
}

const PILOTS: ShapeOf<PilotList> = {
  pilots: [{name: 'string', description: 'string', 'summary?': 'string'}],
  'current?': 'string',
};
