import {JsonIndex} from '../domain/json-index.ts';
import type {JsonText} from '../domain/json-text.ts';
import type {DocumentProblem} from '../failures/members/problems.ts';

/** A problem, with its position in the bytes of a document if it is known. */
export interface PlacedProblem extends DocumentProblem {
  readonly position?: number | undefined;
}

const LINE_FEED = 0x0a;

/** Adds the number of the line to each problem that has a position. Reads the bytes once, whatever the number of problems. */
export function withLines(bytes: Uint8Array, problems: readonly PlacedProblem[]): readonly DocumentProblem[] {
  const positions = problems.flatMap(({position}) => position ?? []).toSorted((a, b) => a - b);
  const lines = new Map<number, number>();
  let line = 1;
  let at = 0;
  for (const position of positions) {
    for (; at < position; at++) if (bytes[at] === LINE_FEED) line++;
    lines.set(position, line);
  }
  return problems.map(({position, path, problem}) => ({
    path,
    problem: position === undefined ? problem : `${problem} (line ${lines.get(position)})`,
  }));
}

/** Finds where the parts of a document begin; a member begins with its name. For a missing part it is the closest one around it. */
export function createPartFinder(json: JsonText): (path: readonly PropertyKey[]) => number {
  const index = new JsonIndex(json);
  return path => {
    let span = index.root;
    let position = span.start;
    for (const part of path) {
      if (typeof part === 'number') {
        const element = index.isArray(span) ? index.elements(span)[part] : undefined;
        if (element === undefined) return position;
        span = element;
        position = element.start;
      } else {
        const member = index.isObject(span) ? index.members(span).findLast(({name}) => name === part) : undefined;
        if (member === undefined) return position;
        span = member.valueSpan;
        position = member.nameSpan.start;
      }
    }
    return position;
  };
}
