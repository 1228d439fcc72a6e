import type {DocumentProblem} from './failure.ts';
import type {JsonIndex, JsonSpan} from './json-index.ts';
import {formatPath} from './json-path.ts';
import type {TooBroad} from './json-text.ts';

/**
 * Most members of an object that is read as a document, such as an operation: four times what any has, so that those that
 * are not known can be named.
 */
export const DOCUMENT_MEMBERS_MAX = 16;

/** Describes that a part of a document has too many elements or members. */
export function describeBreadth({path, breadthMax}: TooBroad): DocumentProblem {
  const shown = path.map(part => (typeof part === 'string' ? part.slice(0, SHOWN_LENGTH_MAX) : part));
  return {path: formatPath(shown), problem: describeSurplus(breadthMax)};
}

/** The problem of a list or an object with more elements or members than it may have: how many more is not counted. */
export function describeSurplus(countMax: number): string {
  return `has more than ${countMax} elements`;
}

/** A value in a JSON document, and where it stands. */
export interface DocumentPlace {
  readonly index: JsonIndex;
  readonly span: JsonSpan;
  /** As a JSONPath, such as `$.operations[3].key`. */
  readonly path: string;
  /** Takes note of what is not as it should be; reading goes on. */
  readonly report: (problem: DocumentProblem) => void;
}

/** How much of an unknown name is repeated in a problem, in UTF-16 units: enough to recognise it. */
const SHOWN_LENGTH_MAX = 64;

/**
 * Reads an object of a document member by member, and reports what is missing, doubled or of a wrong type. It decodes
 * only what it is asked for, so values can be taken over byte for byte.
 */
export class DocumentObject {
  readonly #place: DocumentPlace;
  /** What was not asked for yet; undefined when the place holds no object. */
  readonly #members: Map<string, JsonSpan> | undefined;

  constructor(place: DocumentPlace) {
    this.#place = place;
    this.#members = this.#readMembers();
  }

  /** Whether there is a member that was not asked for yet. */
  has(name: string): boolean {
    return this.#members?.has(name) === true;
  }

  /** A member of any type, which has to be there. */
  value(name: string): DocumentPlace | undefined {
    const span = this.#members?.get(name);
    if (span !== undefined) {
      this.#members?.delete(name);
      return {...this.#place, span, path: this.#pathOf(name)};
    }
    if (this.#members !== undefined) this.#report(name, 'is missing');
    return undefined;
  }

  /** A member that has to be a string. */
  string(name: string): string | undefined {
    const place = this.value(name);
    if (place === undefined) return undefined;
    if (place.index.isString(place.span)) return place.index.string(place.span);
    this.#report(name, 'has to be a string');
    return undefined;
  }

  /** The elements of a member that has to be an array. */
  list(name: string): readonly DocumentPlace[] {
    const place = this.value(name);
    if (place === undefined) return [];
    const {index, span, path} = place;
    if (index.isArray(span))
      return index.elements(span).map((each, at) => ({...place, span: each, path: `${path}[${at}]`}));
    this.#report(name, 'has to be an array');
    return [];
  }

  /** Reports every member that was not asked for. */
  end(): void {
    for (const name of this.#members?.keys() ?? []) this.#report(name, 'is not known here');
  }

  #readMembers(): Map<string, JsonSpan> | undefined {
    const {index, span, path, report} = this.#place;
    if (!index.isObject(span)) {
      report({path, problem: 'has to be an object'});
      return undefined;
    }
    const members = new Map<string, JsonSpan>();
    for (const {name, valueSpan} of index.members(span)) {
      if (members.has(name)) this.#report(name, 'stands there more than once');
      members.set(name, valueSpan);
    }
    return members;
  }

  #report(name: string, problem: string): void {
    this.#place.report({path: this.#pathOf(name), problem});
  }

  /** Names that a dot cannot take stand in brackets (RFC 9535 section 2.5.1). */
  #pathOf(name: string): string {
    if (/^[a-z]+$/i.test(name) && name.length <= SHOWN_LENGTH_MAX) return `${this.#place.path}.${name}`;
    return `${this.#place.path}[${JSON.stringify(name.slice(0, SHOWN_LENGTH_MAX))}]`;
  }
}
