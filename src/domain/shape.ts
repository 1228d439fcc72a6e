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

/** Creates the function that returns whether a document has a shape. Additional members are accepted. */
export function createShapeCheck(shape: Shape): (document: unknown) => boolean {
  if (shape === 'digits') return document => typeof document === 'string' && /^\d{1,15}$/.test(document);
  if (typeof shape === 'string') return document => typeof document === shape;
  if (Array.isArray(shape)) {
    const isElement = createShapeCheck(shape[0]);
    return document => Array.isArray(document) && document.every(isElement);
  }
  const members = Object.entries(shape).map(([name, member]) => {
    const isMember = createShapeCheck(member);
    const isOptional = name.endsWith('?');
    return [name.replace('?', ''), (value: unknown) => (isOptional && value === undefined) || isMember(value)] as const;
  });
  return document =>
    typeof document === 'object' &&
    document !== null &&
    !Array.isArray(document) &&
    members.every(([name, isMember]) => isMember((document as Readonly<Record<string, unknown>>)[name]));
}
