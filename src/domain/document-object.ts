import type {DocumentProblem} from '../failures/members/problems.ts';
import type {JsonIndex, JsonSpan} from './json-index.ts';
import type {TooBroad} from './json-limits.ts';
import {formatPath, formatSegment} from './json-path.ts';

/**
 * Maximum number of members of an object in a document, such as an operation: four times as many as any object has, so that
 * problems can name the unknown ones.
 */
export const DOCUMENT_MEMBERS_MAX = 16;

/** Describes a part of a document that has too many elements or members. */
export function describeBreadth({path, breadthMax}: TooBroad): DocumentProblem {
  return {path: formatPath(path.map(shorten)), problem: describeSurplus(breadthMax)};
}

/** Describes the problem of a list or an object with too many elements or members. Their number is not counted. */
export function describeSurplus(countMax: number): string {
  return `has more than ${countMax} elements`;
}

/** A value in a JSON document, with its location. */
export interface DocumentPlace {
  readonly index: JsonIndex;
  readonly span: JsonSpan;
  /** The location as a JSONPath, such as `$.operations[3].key`. */
  readonly path: string;
  /** Records a problem. Reading continues, so that all problems are reported at once. */
  readonly report: (problem: DocumentProblem) => void;
}

/** Maximum length of an unknown name in a problem, in UTF-16 units. */
const SHOWN_LENGTH_MAX = 64;

function shorten(part: PropertyKey): PropertyKey {
  return typeof part === 'string' ? part.slice(0, SHOWN_LENGTH_MAX) : part;
}

/**
 * Reads an object of a document member by member, and reports members that are missing, duplicated or of a wrong type.
 * Decodes only the requested members, so that values keep their bytes.
 */
export class DocumentObject {
  readonly #place: DocumentPlace;
  /** Members that were not read yet; undefined if the value is not an object. */
  readonly #members: Map<string, JsonSpan> | undefined;

  constructor(place: DocumentPlace) {
    this.#place = place;
    this.#members = this.#readMembers();
  }

  /** Returns whether there is a member of this name that was not read yet. */
  has(name: string): boolean {
    return this.#members?.has(name) === true;
  }

  /** Reads a required member of any type. */
  value(name: string): DocumentPlace | undefined {
    const span = this.#members?.get(name);
    if (span !== undefined) {
      this.#members?.delete(name);
      return {...this.#place, span, path: this.#pathOf(name)};
    }
    if (this.#members !== undefined) this.#report(name, 'is missing');
    return undefined;
  }

  /**
   * Reads a required string.
   *
   * @param lengthMax In UTF-16 units. If the string is longer, only its beginning is decoded and returned, which is also longer
   * than `lengthMax`: the caller has to check the length. @default {Infinity}
   */
  string(name: string, lengthMax?: number): string | undefined {
    const place = this.value(name);
    if (place === undefined) return undefined;
    if (place.index.isString(place.span)) return place.index.string(place.span, lengthMax);
    this.#report(name, 'has to be a string');
    return undefined;
  }

  /** Reads the elements of a required array. */
  list(name: string): readonly DocumentPlace[] {
    const place = this.value(name);
    if (place === undefined) return [];
    const {index, span, path} = place;
    if (index.isArray(span))
      return index.elements(span).map((each, at) => ({...place, span: each, path: path + formatSegment(at)}));
    this.#report(name, 'has to be an array');
    return [];
  }

  /** Reports every member that was not read. */
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
    for (const {name, valueSpan} of index.members(span, SHOWN_LENGTH_MAX)) {
      // Longer names are unknown, and may be cut: different ones may look the same.
      if (name.length <= SHOWN_LENGTH_MAX && members.has(name)) this.#report(name, 'occurs more than once');
      members.set(name, valueSpan);
    }
    return members;
  }

  #report(name: string, problem: string): void {
    this.#place.report({path: this.#pathOf(name), problem});
  }

  #pathOf(name: string): string {
    return this.#place.path + formatSegment(shorten(name));
  }
}
