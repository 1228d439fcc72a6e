/**
 * The expected shape of a received document: the name of a type, the shape of the elements of an array, or the shapes of
 * the members of an object. The name of an optional member ends in `?`. `digits` is a string of digits, such as a revision.
 */
export type Shape = 'string' | 'number' | 'boolean' | 'digits' | readonly [Shape] | {readonly [member: string]: Shape};

/** The shape of the documents of a type, with every member of the type. */
export type ShapeOf<T> = T extends string
  ? 'string' | 'digits'
  : T extends number
    ? 'number'
    : T extends boolean
      ? 'boolean'
      : T extends readonly (infer E)[]
        ? readonly [ShapeOf<E>]
        : {
            readonly [M in keyof T & string as undefined extends T[M] ? `${M}?` : M]-?: ShapeOf<
              Exclude<T[M], undefined>
            >;
          };

/** Returns whether a document has a shape. Additional members are accepted. */
export function hasShape(document: unknown, shape: Shape): boolean {
  if (shape === 'digits') return typeof document === 'string' && /^\d{1,15}$/.test(document);
  if (typeof shape === 'string') return typeof document === shape;
  if (isElements(shape)) return Array.isArray(document) && document.every(element => hasShape(element, shape[0]));
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return false;
  const members = document as Readonly<Record<string, unknown>>;
  return Object.entries(shape).every(([name, member]) => {
    const value = members[name.replace('?', '')];
    return (value === undefined && name.endsWith('?')) || hasShape(value, member);
  });
}

function isElements(shape: Shape): shape is readonly [Shape] {
  return Array.isArray(shape);
}
