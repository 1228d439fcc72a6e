import {isFailure} from '../failures/app-error.ts';
import {JsonIndex, type JsonSpan, type MemberPlace, type MemberWalk, toByteText} from './json-index.ts';
import {type JsonLimits, VALUE_DEPTH_MAX} from './json-limits.ts';
import {type JsonText, parseJsonText} from './json-text.ts';

/**
 * Applies a merge patch (RFC 7396) to a JSON text: members of an object replace those of the same name, `null`
 * removes them, objects are merged recursively, and a patch that is not an object replaces the whole value. Members that
 * the patch does not name keep their bytes. Of duplicate names the last one counts, as for `JSON.parse`; if the patch names
 * it, the result has it once. New members get the white space of the last member before them, unless it is longer than 1 KiB.
 *
 * Takes time linear in the size of both, whatever their depth.
 *
 * @param target The current value; undefined if there is none.
 * @param limits Limits of the depth of the result. Its size is at most the sum of both texts and 1 KiB for each new
 * member.
 * @throws {AppError} `value-too-deep` with the position in the result.
 */
export function applyMergePatch(target: JsonText | undefined, patch: JsonText, limits?: JsonLimits): JsonText {
  const patchPlace = placeOf(patch, limits);
  const targetPlace = target === undefined ? undefined : placeOf(target, limits);
  const slices: Slice[] = [];
  const waiting: Piece[] = [{target: targetPlace, patch: patchPlace}];
  // A stack instead of recursion: texts may be nested deeper than calls.
  for (let piece = waiting.pop(); piece !== undefined; piece = waiting.pop()) {
    if ('bytes' in piece) slices.push(piece);
    else if (!isObject(piece.patch)) slices.push(sliceOf(piece.patch, piece.patch.span));
    else for (const next of mergeObject(piece).reverse()) waiting.push(next);
  }
  const merged = join(slices);
  // Each part keeps its level, so the result is not deeper than both texts.
  const mayBeTooDeep = patchPlace.tooDeep === true || targetPlace?.tooDeep === true;
  return mayBeTooDeep ? parseJsonText(merged, limits) : (merged as JsonText);
}

/** A value within a text. */
interface Place {
  readonly index: JsonIndex;
  readonly span: JsonSpan;
  /** True if the text is deeper than the result may be. */
  readonly tooDeep?: boolean;
}

/** Bytes that are copied unchanged. */
interface Slice {
  readonly bytes: Uint8Array;
  readonly start: number;
  /** Grows while the bytes that follow are copied too. */
  end: number;
}

/** A target and the patch that is merged into it. */
interface Merge {
  readonly target: Place | undefined;
  readonly patch: Place;
}

/** A part of the result. */
type Piece = Slice | Merge;

/** Merges into an object. @returns The parts of the result, in their order. */
function mergeObject({target, patch}: Merge): Piece[] {
  // Without an object to merge into, the result is the patch as it is written, without its nulls.
  const source = target !== undefined && isObject(target) ? target : patch;
  const changes = new Changes(patch);
  const writer = new ObjectWriter(source);
  const changed: [MemberPlace, Change][] = [];
  for (const walk = writer.walk; walk.next(); ) {
    const change = changes.find(walk, source.index);
    if (change === undefined) continue;
    change.last = walk.place();
    changed.push([change.last, change]);
  }
  for (const [place, {member, last}] of changed) {
    writer.keepUntil(place);
    if (last === place && !isNull(member, patch)) writer.replace(place, member, patch);
  }
  writer.keepRest();
  for (const {member, last} of changes.all())
    if (last === undefined && !isNull(member, patch)) writer.append(member, patch);
  return writer.end();
}

/** The change of a patch to one name. */
interface Change {
  /** The last member of this name in the patch. */
  readonly member: MemberPlace;
  /** The last member of this name in the changed object; undefined if there is none. */
  last: MemberPlace | undefined;
}

/** The changes of a patch by their names. */
class Changes {
  readonly #byName = new Map<string, Change>();
  /** The same by names with one character for each byte: most names of an object need not be decoded to be found. */
  readonly #byByteText = new Map<string, Change>();

  constructor({index, span}: Place) {
    for (const walk = index.walk(span); walk.next(); ) {
      const name = nameAt(walk, index);
      const change = {member: walk.place(), last: undefined};
      this.#byName.set(name, change);
      // Half of a surrogate pair has no bytes: only an escape can name it.
      if (name.isWellFormed()) this.#byByteText.set(isAscii(name) ? name : toByteText(name), change);
    }
  }

  all(): Iterable<Change> {
    return this.#byName.values();
  }

  find(place: MemberPlace, index: JsonIndex): Change | undefined {
    const quoted = index.quotedName(place);
    if (!quoted.includes('\\')) return this.#byByteText.get(quoted.slice(1, -1));
    // All escapes but these stand for one byte.
    if (!quoted.includes('\\u')) return this.#byByteText.get(JSON.parse(quoted));
    return this.#byName.get(index.name(place));
  }
}

/** Returns whether a text has one byte for each of its characters. */
function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x80) return false;
  return true;
}

function nameAt({nameStart, nameEnd}: MemberPlace, index: JsonIndex): string {
  return index.string({start: nameStart, end: nameEnd});
}

const OPENING = new TextEncoder().encode('{');
const COMMA = new TextEncoder().encode(',');
const COLON = new TextEncoder().encode(':');
const CLOSING = new TextEncoder().encode('}');
const QUOTE = 0x22;

/**
 * Maximum size of the white space and colon that each new member gets, in bytes: the indentation of {@link VALUE_DEPTH_MAX} levels by four
 * spaces. Many copies of a longer one would fill the memory.
 */
const SPACING_BYTES_MAX = 4 * VALUE_DEPTH_MAX;

/** Collects the members of an object, with the brackets, commas and white space of the source object. */
class ObjectWriter {
  readonly #source: Place;
  /** A walk over the source object, which has to end before anything is added; then it is at the last member. */
  readonly walk: MemberWalk;
  readonly #pieces: Piece[] = [];
  /** Position of the first member that may still be kept: after the bracket, or after the comma behind the last changed member. */
  #from: number;

  constructor(source: Place) {
    this.#source = source;
    this.walk = source.index.walk(source.span);
    this.#from = source.span.start + 1;
  }

  /** Adds the members before a changed one. */
  keepUntil({start, end}: MemberPlace): void {
    if (this.#from < start) this.#copy(this.#from, start - 1);
    this.#from = end + 1;
  }

  /** Adds the members after the last changed one. */
  keepRest(): void {
    const {start, end} = this.walk;
    if (this.#from <= start) this.#copy(this.#from, end);
  }

  /** Adds a changed member with the value of a member of the patch. */
  replace({start, valueStart, valueEnd, end}: MemberPlace, member: MemberPlace, patch: Place): void {
    this.#copy(start, valueStart);
    // If the patch itself is the source, there is nothing to merge into.
    const target = patch.index === this.#source.index ? undefined : valuePlace({valueStart, valueEnd}, this.#source);
    this.#pieces.push(pieceOf({target, patch: valuePlace(member, patch)}));
    if (valueEnd < end) this.#push(valueEnd, end);
  }

  /** Adds a new member after all others, with the white space of the last one. */
  append(member: MemberPlace, patch: Place): void {
    const {start, nameStart, nameEnd, valueStart} = this.walk;
    const isModel = !this.#isEmpty && nameStart - start + valueStart - nameEnd <= SPACING_BYTES_MAX;
    if (this.#pieces.length === 0) this.#open();
    else {
      this.#pieces.push(whole(COMMA));
      if (isModel) this.#push(start, nameStart);
    }
    this.#pieces.push(sliceOf(patch, {start: member.nameStart, end: member.nameEnd}));
    if (isModel) this.#push(nameEnd, valueStart);
    else this.#pieces.push(whole(COLON));
    this.#pieces.push(pieceOf({target: undefined, patch: valuePlace(member, patch)}));
  }

  /** Adds the closing bracket. @returns All parts. */
  end(): Piece[] {
    const isUnwritten = this.#pieces.length === 0;
    if (isUnwritten && this.#isEmpty) return [sliceOf(this.#source, this.#source.span)];
    if (isUnwritten) this.#pieces.push(whole(OPENING));
    if (isUnwritten || this.#isEmpty) this.#pieces.push(whole(CLOSING));
    else this.#push(this.walk.end, this.#source.span.end);
    return this.#pieces;
  }

  /** True if the source object has no members. */
  get #isEmpty(): boolean {
    return this.walk.end === 0;
  }

  /** Copies members, or the beginning of one, with the comma before them. */
  #copy(start: number, end: number): void {
    const isFirst = this.#pieces.length === 0;
    if (isFirst) this.#open();
    this.#push(isFirst ? this.#nameFrom(start) : start - 1, end);
  }

  /** Copies the opening bracket, and the white space before the first member. */
  #open(): void {
    const {start} = this.#source.span;
    if (this.#isEmpty) this.#pieces.push(whole(OPENING));
    else this.#push(start, this.#nameFrom(start));
  }

  /** Returns the position of the first name from a position on. */
  #nameFrom(start: number): number {
    return this.#source.index.bytes.indexOf(QUOTE, start);
  }

  #push(start: number, end: number): void {
    const last = this.#pieces.at(-1);
    // Adjacent unchanged bytes are one slice.
    if (last !== undefined && 'bytes' in last && last.bytes === this.#source.index.bytes && last.end === start)
      last.end = end;
    else this.#pieces.push(sliceOf(this.#source, {start, end}));
  }
}

/** Returns a merge for an object, and a copy for any other value of a patch. */
function pieceOf(merge: Merge): Piece {
  return isObject(merge.patch) ? merge : sliceOf(merge.patch, merge.patch.span);
}

/** Shortest slice that is copied with `set`, in bytes: shorter ones are copied faster byte by byte. */
const LONG_SLICE_LENGTH_MIN = 64;

function join(slices: readonly Slice[]): Uint8Array {
  const joined = new Uint8Array(slices.reduce((sum, {start, end}) => sum + end - start, 0));
  let at = 0;
  for (const {bytes, start, end} of slices) {
    if (end - start < LONG_SLICE_LENGTH_MIN) {
      for (let from = start; from < end; from++) joined[at++] = bytes[from] as number;
    } else {
      joined.set(bytes.subarray(start, end), at);
      at += end - start;
    }
  }
  return joined;
}

function placeOf(json: JsonText, limits: JsonLimits | undefined): Place {
  try {
    const index = new JsonIndex(json, limits);
    return {index, span: index.root};
  } catch (error) {
    if (!isFailure(error, 'value-too-deep')) throw error;
    // The text was checked before, under other limits. A patch may remove the part that is too deep.
    const index = new JsonIndex(json, {depthMax: Infinity});
    return {index, span: index.root, tooDeep: true};
  }
}

function isObject({index, span}: Place): boolean {
  return index.isObject(span);
}

const LOWER_N = 0x6e;

function isNull({valueStart}: MemberPlace, {index}: Place): boolean {
  return index.bytes[valueStart] === LOWER_N;
}

function valuePlace({valueStart, valueEnd}: Pick<MemberPlace, 'valueStart' | 'valueEnd'>, {index}: Place): Place {
  return {index, span: {start: valueStart, end: valueEnd}};
}

function sliceOf({index}: Place, {start, end}: JsonSpan): Slice {
  return {bytes: index.bytes, start, end};
}

function whole(bytes: Uint8Array): Slice {
  return {bytes, start: 0, end: bytes.length};
}
