/** Deepest nesting of a value, in levels: deeper than documents that people write. Recursive readers overflow at some thousand. */
export const VALUE_DEPTH_MAX = 256;

/** Limits of `parseJsonText`. */
export interface JsonLimits {
  /** Deepest nesting of arrays and objects, in levels. @default {VALUE_DEPTH_MAX} */
  readonly depthMax?: number;
  /**
   * Maximum number of elements of an array, or members of an object, on each of the outermost levels. The scan ends at the first
   * excess element. @default {no limit}
   */
  readonly breadthMax?: readonly number[];
  /** Members that all objects may have together, counted down: several texts may share them. @default {no limit} */
  readonly members?: {readonly max: number; left: number};
}

/** Members that one or more texts may still have. */
export type MembersLeft = NonNullable<JsonLimits['members']>;

/** Thrown if a text, or an array or object in it, has more elements or members than {@link JsonLimits} allow. */
export class TooBroad extends Error {
  override readonly name = 'TooBroad';
  /** The location of the array or object, as names and indices. Long names are cut. */
  readonly path: readonly PropertyKey[];
  readonly breadthMax: number;

  constructor(path: readonly PropertyKey[], breadthMax: number) {
    super(`more than ${breadthMax} elements`);
    this.path = path;
    this.breadthMax = breadthMax;
  }
}
