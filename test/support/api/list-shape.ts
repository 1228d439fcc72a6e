/** Members whose own members are data: the HTTP client sends other headers with each version of Node. */
const MAPS: ReadonlySet<string> = new Set(['headers']);

/**
 * Lists the types of what documents contain, a line for each member: one that all of them have ends in `, required`.
 *
 * @param values Documents of one kind, such as the lines of an output.
 */
export function listShape(values: readonly unknown[], subject: string, after = ''): readonly string[] {
  const types = [...new Set(values.map(typeOf))].sort();
  const objects = values.filter(value => typeOf(value) === 'object') as readonly Readonly<Record<string, unknown>>[];
  const isMap = MAPS.has(subject.slice(subject.lastIndexOf('.') + 1));
  const names = isMap ? [] : [...new Set(objects.flatMap(each => Object.keys(each)))];
  const items = values.flatMap(value => (Array.isArray(value) ? value : []));
  return [
    `${subject}: ${types.join(' | ')}${after}`,
    ...names.flatMap(name => {
      const having = objects.filter(each => Object.hasOwn(each, name));
      const isInAll = having.length === objects.length;
      return listShape(
        having.map(each => each[name]),
        `${subject}.${name}`,
        isInAll ? ', required' : '',
      );
    }),
    ...(items.length === 0 ? [] : listShape(items, `${subject}[]`)),
  ];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Parses one JSON text, or one on each line, if there are any. */
export function parseOutput(text: string): readonly unknown[] {
  if (text === '') return [];
  try {
    return [JSON.parse(text)];
  } catch {
    return text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as unknown);
  }
}
