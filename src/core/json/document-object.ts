import type {DocumentProblem} from '../failures/members/problems.ts';
import type {JsonIndex, JsonMember, JsonSpan} from './json-index.ts';
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

/** A value within another one. Its path is only made for a problem: most documents have none. */
class InnerPlace implements DocumentPlace {
  readonly index: JsonIndex;
  readonly span: JsonSpan;
  readonly report: (problem: DocumentProblem) => void;
  readonly #around: DocumentPlace;
  readonly #part: PropertyKey;

  constructor(around: DocumentPlace, part: PropertyKey, span: JsonSpan) {
    this.index = around.index;
    this.span = span;
    this.report = around.report;
    this.#around = around;
    this.#part = part;
  }

  get path(): string {
    return this.#around.path + formatSegment(shorten(this.#part));
  }
}

/**
 * Reads an object of a document member by member, and reports members that are missing, duplicated or of a wrong type.
 * Decodes only the requested members, so that values keep their bytes.
 */
export class DocumentObject {
  readonly #place: DocumentPlace;
  /** Members that were not read yet, at most {@link DOCUMENT_MEMBERS_MAX}: a `Map` of so few takes longer. Undefined if the value is not an object. */
  readonly #members: JsonMember[] | undefined;

  constructor(place: DocumentPlace) {
    this.#place = place;
    this.#members = this.#readMembers();
  }

  /** Returns whether there is a member of this name that was not read yet. */
  has(name: string): boolean {
    return this.#members !== undefined && indexOf(this.#members, name) >= 0;
  }

  /** Reads a required member of any type. */
  value(name: string): DocumentPlace | undefined {
    const span = this.#take(name);
    return span && new InnerPlace(this.#place, name, span);
  }

  /**
   * Reads a required string.
   *
   * @param lengthMax In UTF-16 units. If the string is longer, only its beginning is decoded and returned, which is also longer
   * than `lengthMax`: the caller has to check the length. @default {Infinity}
   */
  string(name: string, lengthMax?: number): string | undefined {
    const {index} = this.#place;
    const span = this.#take(name);
    if (span === undefined) return undefined;
    if (index.isString(span)) return index.string(span, lengthMax);
    this.#report(name, 'has to be a string');
    return undefined;
  }

  /** Reads the elements of a required array. */
  list(name: string): readonly DocumentPlace[] {
    const place = this.value(name);
    if (place === undefined) return [];
    const {index, span} = place;
    if (index.isArray(span)) return index.elements(span).map((each, at) => new InnerPlace(place, at, each));
    this.#report(name, 'has to be an array');
    return [];
  }

  /** Reports every member that was not read. */
  end(): void {
    for (const {name} of this.#members ?? []) this.#report(name, 'is not known here');
  }

  #take(name: string): JsonSpan | undefined {
    const members = this.#members;
    if (members === undefined) return undefined;
    const at = indexOf(members, name);
    if (at >= 0) return members.splice(at, 1)[0]?.valueSpan;
    this.#report(name, 'is missing');
    return undefined;
  }

  #readMembers(): JsonMember[] | undefined {
    const {index, span, report} = this.#place;
    if (!index.isObject(span)) {
      report({path: this.#place.path, problem: 'has to be an object'});
      return undefined;
    }
    const members: JsonMember[] = [];
    for (const member of index.members(span, SHOWN_LENGTH_MAX)) {
      const {name} = member;
      const before = indexOf(members, name);
      // Longer names are unknown, and may be cut: different ones may look the same.
      if (before >= 0 && name.length <= SHOWN_LENGTH_MAX) this.#report(name, 'occurs more than once');
      members[before >= 0 ? before : members.length] = member;
    }
    return members;
  }

  #report(name: string, problem: string): void {
    this.#place.report({path: this.#place.path + formatSegment(shorten(name)), problem});
  }
}

function indexOf(members: readonly JsonMember[], name: string): number {
  for (let at = 0; at < members.length; at++) if (members[at]?.name === name) return at;
  return -1;
}
