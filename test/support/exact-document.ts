/** Description of alternatives for what later versions add. */
const LATER = 'Later versions add others.';

/**
 * Makes a document of the API exact: its answers have only members, values and kinds of this version, so that a test finds what is not
 * described.
 */
export function exactDocument<T>(document: T): T {
  return exact(document) as T;
}

type Members = Readonly<Record<string, unknown>>;

function exact(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(exact);
  if (typeof part !== 'object' || part === null) return part;
  const members: Members = Object.fromEntries(Object.entries(part).map(([name, each]) => [name, exact(each)]));
  return withoutLater(members['type'] === 'object' && 'properties' in members ? closed(members) : members);
}

function closed(schema: Members): Members {
  return {additionalProperties: false, ...schema};
}

function withoutLater(members: Members): Members {
  const {anyOf, ...others} = members;
  if (!Array.isArray(anyOf)) return members;
  const known: readonly Members[] = anyOf.filter(({description}) => description !== LATER);
  const [only, second] = known;
  return second === undefined && known.length < anyOf.length ? {...others, ...only} : {...others, anyOf: known};
}
