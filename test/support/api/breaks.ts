/** A difference between two listings of a public surface. */
export interface Difference {
  /** `growth` breaks no program; `break for makers` breaks those that make an object of this type, not those that only read it. */
  readonly mark: 'BREAK' | 'break for makers' | 'growth';
  readonly before?: string | undefined;
  readonly after?: string | undefined;
}

/** A line of a listing with the lines that enclose it: the heading (`// NAME`), and those with a smaller indentation. */
interface Place {
  readonly parent: string;
  /** The line up to its description, and the description after it. */
  readonly subject: string;
  readonly description: string;
  readonly line: string;
}

/**
 * Compares two listings, and judges each line that differs. A line of a listing is `SUBJECT: DESCRIPTION`; a subject with ` in ` belongs to a
 * request. What can be read from lines alone is judged, and what is unclear is a break: the reviewer decides.
 */
export function breaksBetween(before: string, after: string): readonly Difference[] {
  const [old, current] = [readPlaces(before), readPlaces(after)];
  const differences: Difference[] = [];
  for (const [subject, place] of old) {
    const now = current.get(subject);
    if (now?.description !== place.description)
      differences.push({mark: now && isGrowth(place, now) ? 'growth' : 'BREAK', before: place.line, after: now?.line});
  }
  for (const [subject, place] of current)
    if (!old.has(subject)) differences.push({mark: markAdded(place, old), after: place.line});
  return differences;
}

/** Formats differences for the message of a test, breaks first. */
export function formatDifferences(differences: readonly Difference[]): string {
  const sorted = differences.toSorted((a, b) => (a.mark < b.mark ? -1 : Number(a.mark > b.mark)));
  return sorted
    .map(({mark, before, after}) => [`${mark}:`, before && `  - ${before}`, after && `  + ${after}`])
    .flatMap(lines => lines.filter(line => line !== undefined))
    .join('\n');
}

function readPlaces(text: string): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  let enclosing: {readonly indentation: number; readonly subject: string}[] = [];
  for (const line of text.split('\n').filter(each => /\w/.test(each))) {
    const indentation = line.startsWith('// ') ? -1 : line.search(/\S/);
    enclosing = enclosing.filter(each => each.indentation < indentation);
    const [, name = '', description = ''] = /^(.+?)(\??: .*|\(.*| = .*|;|)$/.exec(line.trim()) ?? [];
    const parent = enclosing.map(({subject}) => subject).join(' ');
    let subject = `${parent} ${name}`.trim();
    // Overloads, and members that a union has in several of its alternatives.
    while (places.has(subject)) subject += '′';
    places.set(subject, {
      parent: parentOf(parent, name),
      subject,
      description,
      line: `${parent} ${line.trim()}`.trim(),
    });
    enclosing.push({indentation, subject: name});
  }
  return places;
}

/** Returns the subject that has to exist before a line can break it. */
function parentOf(enclosing: string, name: string): string {
  if (enclosing !== '') return enclosing;
  return /[.[]/.test(name.replace(/^.* in /, '')) ? name.replace(/(\.[^.[]*|\[\])$/, '') : name.replace(/ in .*/, '');
}

function markAdded(
  {parent, subject, description, line}: Place,
  before: ReadonlyMap<string, Place>,
): Difference['mark'] {
  if (parent === subject || !before.has(parent)) return 'growth';
  if (line.startsWith('// ')) return description.startsWith('?') ? 'growth' : 'break for makers';
  return subject.includes(' in ') && isRequired(description) ? 'BREAK' : 'growth';
}

/** Returns whether a change of a description only lets callers send more, or promises them more. */
function isGrowth({subject, description}: Place, {description: now}: Place): boolean {
  const isRequest = subject.includes(' in ');
  if (isRequired(description) !== isRequired(now) && isRequired(now) === isRequest) return false;
  const values = alternativesOf(now);
  return alternativesOf(description).every(each => values.includes(each));
}

function isRequired(description: string): boolean {
  return description.endsWith(', required');
}

function alternativesOf(description: string): readonly string[] {
  return description
    .replace(/^: /, '')
    .replace(/, required$/, '')
    .split(' | ');
}
