import {AppError} from '../failures/app-error.ts';
import {JsonIndex, type JsonMember, type JsonSpan} from './json-index.ts';
import {type JsonLimits, VALUE_DEPTH_MAX} from './json-limits.ts';
import {type JsonText, parseInSteps} from './json-text.ts';
import {runAtOnce, type Steps} from './steps.ts';

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
  return runAtOnce(mergePatchInSteps(target, patch, limits));
}

/** Applies a merge patch like {@link applyMergePatch}, in steps. */
export function* mergePatchInSteps(
  target: JsonText | undefined,
  patch: JsonText,
  limits?: JsonLimits,
): Steps<JsonText> {
  const patchPlace = yield* placeOf(patch, limits);
  const targetPlace = target === undefined ? undefined : yield* placeOf(target, limits);
  const slices: Slice[] = [];
  const waiting: Piece[] = [{target: targetPlace, patch: patchPlace}];
  let taken = 0;
  // A stack instead of recursion: texts may be nested deeper than calls.
  for (let piece = waiting.pop(); piece !== undefined; piece = waiting.pop()) {
    if (endsPart(taken++)) yield PART_BYTES;
    if ('bytes' in piece) slices.push(piece);
    else if (!isObject(piece.patch)) slices.push(sliceOf(piece.patch, piece.patch.span));
    else for (const next of (yield* mergeObject(piece)).reverse()) waiting.push(next);
  }
  const merged = yield* join(slices);
  // Each part keeps its level, so the result is not deeper than both texts.
  const mayBeTooDeep = patchPlace.tooDeep === true || targetPlace?.tooDeep === true;
  return mayBeTooDeep ? yield* parseInSteps(merged, limits) : (merged as JsonText);
}

/** Members or parts of the result in one step, and the bytes that are scanned in the same time. */
const PART_LENGTH = 2048;
const PART_BYTES = 32 * 1024;

/** Returns whether an element is the last one in its step. */
function endsPart(index: number): boolean {
  return index % PART_LENGTH === PART_LENGTH - 1;
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
function* mergeObject({target, patch}: Merge): Steps<Piece[]> {
  // Without an object to merge into, the result is the patch as it is written, without its nulls.
  const source = target !== undefined && isObject(target) ? target : patch;
  const members = yield* source.index.membersInSteps(source.span);
  const changes = yield* readChanges(source === patch ? members : yield* patch.index.membersInSteps(patch.span));
  const found: (Change | undefined)[] = [];
  for (const [index, member] of members.entries()) {
    const change = changes.get(member.name);
    if (change !== undefined) change.last = member;
    found.push(change);
    if (endsPart(index)) yield PART_BYTES;
  }
  const writer = new ObjectWriter(source, members);
  for (const [index, member] of members.entries()) {
    const change = found[index];
    if (change === undefined) writer.keep(member);
    else if (change.last === member && !isNull(change.member, patch)) writer.replace(member, change.member, patch);
    if (endsPart(index)) yield PART_BYTES;
  }
  let appended = 0;
  for (const {member, last} of changes.values()) {
    if (last === undefined && !isNull(member, patch)) writer.append(member, patch);
    if (endsPart(appended++)) yield PART_BYTES;
  }
  return writer.end();
}

/** The change of a patch to one name. */
interface Change {
  /** The last member of this name in the patch. */
  member: JsonMember;
  /** The last member of this name in the changed object; undefined if there is none. */
  last: JsonMember | undefined;
}

function* readChanges(members: readonly JsonMember[]): Steps<ReadonlyMap<string, Change>> {
  const changes = new Map<string, Change>();
  for (const [index, member] of members.entries()) {
    const change = changes.get(member.name);
    if (change === undefined) changes.set(member.name, {member, last: undefined});
    else change.member = member;
    if (endsPart(index)) yield PART_BYTES;
  }
  return changes;
}

const OPENING = new TextEncoder().encode('{');
const COMMA = new TextEncoder().encode(',');
const COLON = new TextEncoder().encode(':');
const CLOSING = new TextEncoder().encode('}');

/**
 * Maximum size of the white space and colon that each new member gets, in bytes: the indentation of {@link VALUE_DEPTH_MAX} levels by four
 * spaces. Many copies of a longer one would fill the memory.
 */
const SPACING_BYTES_MAX = 4 * VALUE_DEPTH_MAX;

/** Collects the members of an object, with the brackets, commas and white space of the source object. */
class ObjectWriter {
  readonly #source: Place;
  readonly #members: readonly JsonMember[];
  /** The member whose white space new members get; undefined if there is none, or its white space is too long. */
  readonly #model: JsonMember | undefined;
  readonly #pieces: Piece[] = [];

  constructor(source: Place, members: readonly JsonMember[]) {
    this.#source = source;
    this.#members = members;
    const last = members.at(-1);
    this.#model = last !== undefined && spacingBytes(last) <= SPACING_BYTES_MAX ? last : undefined;
  }

  /** Adds an unchanged member. */
  keep(member: JsonMember): void {
    this.#begin(member);
    this.#push(member.nameSpan.start, member.end);
  }

  /** Adds a member with the value of a member of the patch. */
  replace(member: JsonMember, {valueSpan}: JsonMember, {index}: Place): void {
    this.#begin(member);
    this.#push(member.nameSpan.start, member.valueSpan.start);
    // If the patch itself is the source, there is nothing to merge into.
    const target = index === this.#source.index ? undefined : {index: this.#source.index, span: member.valueSpan};
    this.#pieces.push(pieceOf({target, patch: {index, span: valueSpan}}));
    if (member.valueSpan.end < member.end) this.#push(member.valueSpan.end, member.end);
  }

  /** Adds a new member after all others. */
  append(member: JsonMember, {index}: Place): void {
    const model = this.#model;
    if (this.#pieces.length === 0) this.#open();
    else {
      this.#pieces.push(whole(COMMA));
      if (model !== undefined) this.#push(model.start, model.nameSpan.start);
    }
    this.#pieces.push({bytes: index.bytes, ...member.nameSpan});
    if (model === undefined) this.#pieces.push(whole(COLON));
    else this.#push(model.nameSpan.end, model.valueSpan.start);
    this.#pieces.push(pieceOf({target: undefined, patch: {index, span: member.valueSpan}}));
  }

  /** Adds the closing bracket. @returns All parts. */
  end(): Piece[] {
    const last = this.#members.at(-1);
    const isEmpty = this.#pieces.length === 0;
    if (isEmpty && last === undefined) return [sliceOf(this.#source, this.#source.span)];
    if (isEmpty) this.#pieces.push(whole(OPENING));
    if (isEmpty || last === undefined) this.#pieces.push(whole(CLOSING));
    else this.#push(last.end, this.#source.span.end);
    return this.#pieces;
  }

  #begin(member: JsonMember): void {
    if (this.#pieces.length === 0) this.#open();
    // With the comma before it.
    else this.#push(member.start - 1, member.nameSpan.start);
  }

  #open(): void {
    const [first] = this.#members;
    if (first === undefined) this.#pieces.push(whole(OPENING));
    else this.#push(this.#source.span.start, first.nameSpan.start);
  }

  #push(start: number, end: number): void {
    const last = this.#pieces.at(-1);
    // Adjacent unchanged bytes are one slice.
    if (last !== undefined && 'bytes' in last && last.bytes === this.#source.index.bytes && last.end === start)
      last.end = end;
    else this.#pieces.push(sliceOf(this.#source, {start, end}));
  }
}

/** Returns the number of bytes before the name of a member, and between its name and its value. */
function spacingBytes({start, nameSpan, valueSpan}: JsonMember): number {
  return nameSpan.start - start + valueSpan.start - nameSpan.end;
}

/** Returns a merge for an object, and a copy for any other value of a patch. */
function pieceOf(merge: Merge): Piece {
  return isObject(merge.patch) ? merge : sliceOf(merge.patch, merge.patch.span);
}

/** Shortest slice that is copied with `set`, in bytes: shorter ones are copied faster byte by byte. */
const LONG_SLICE_LENGTH_MIN = 64;

function* join(slices: readonly Slice[]): Steps<Uint8Array> {
  const joined = new Uint8Array(slices.reduce((sum, {start, end}) => sum + end - start, 0));
  let at = 0;
  for (const [index, {bytes, start, end}] of slices.entries()) {
    if (endsPart(index)) yield PART_BYTES;
    if (end - start < LONG_SLICE_LENGTH_MIN) {
      for (let from = start; from < end; from++) joined[at++] = bytes[from] as number;
    } else {
      joined.set(bytes.subarray(start, end), at);
      at += end - start;
    }
  }
  return joined;
}

function* placeOf(json: JsonText, limits: JsonLimits | undefined): Steps<Place> {
  try {
    const index = yield* JsonIndex.inSteps(json, limits);
    return {index, span: index.root};
  } catch (error) {
    if (!(error instanceof AppError) || error.failure.code !== 'value-too-deep') throw error;
    // The text was checked before, under other limits. A patch may remove the part that is too deep.
    const index = yield* JsonIndex.inSteps(json, {depthMax: Infinity});
    return {index, span: index.root, tooDeep: true};
  }
}

function isObject({index, span}: Place): boolean {
  return index.isObject(span);
}

const LOWER_N = 0x6e;

function isNull({valueSpan}: JsonMember, {index}: Place): boolean {
  return index.bytes[valueSpan.start] === LOWER_N;
}

function sliceOf({index}: Place, {start, end}: JsonSpan): Slice {
  return {bytes: index.bytes, start, end};
}

function whole(bytes: Uint8Array): Slice {
  return {bytes, start: 0, end: bytes.length};
}
