/** One request of a caller, its answer, and the times of both by a clock that all callers of a history share. */
export type Exchange = ReadExchange | CommitExchange;

/** The times of an exchange; all times of a history differ. */
interface Moments {
  readonly requestedAt: number;
  /** Latest time at which a commit with an unknown outcome can happen; Infinity if there is no limit. */
  readonly answeredAt: number;
}

/** Some entries were read, all at one moment. */
export interface ReadExchange extends Moments {
  readonly kind: 'read';
  readonly found: readonly Found[];
}

/** Some entries were written, all or none, if the checks held. */
export interface CommitExchange extends Moments {
  readonly kind: 'commit';
  readonly checks: readonly Check[];
  readonly writes: readonly Write[];
  readonly outcome: Outcome;
}

/** An entry, or its absence, as a reader found it. */
export interface Found {
  readonly key: string;
  readonly entry: SeenEntry | 'absent';
}

/** An entry as it was seen. */
export interface SeenEntry {
  readonly value: string;
  readonly revision: number;
}

/**
 * Condition of a commit on an entry. Facts that a writer learns from its answer, such as that it created the entry, are
 * checks too.
 */
export interface Check {
  readonly key: string;
  readonly expected: number | 'absent' | 'present';
}

/** Effect of a commit on an entry. */
export type Write =
  | {readonly kind: 'put'; readonly key: string; readonly value: string}
  /** Adds a member to the object of the entry, or to an empty one. */
  | {readonly kind: 'patch'; readonly key: string; readonly member: string}
  | {readonly kind: 'delete'; readonly key: string};

/** Outcome of a commit as its writer knows it. */
export type Outcome =
  /** It happened. The answer to a deletion contains no revision. */
  | {readonly kind: 'committed'; readonly revision?: number}
  /** It did not happen: these checks did not hold, all others did. */
  | {readonly kind: 'refused'; readonly conflicts: readonly Conflict[]}
  /** No answer came: it happened, or happens later, or never. */
  | {readonly kind: 'unknown'};

/** The state that a failed check found. */
export interface Conflict {
  readonly key: string;
  readonly actual: number | 'absent';
}

/** Adds a member to a value: a history shows patched objects as the sorted list of their members. */
export function addMember(value: string | undefined, member: string): string {
  const found: unknown = value === undefined ? undefined : JSON.parse(value);
  // RFC 7396: a value that is not an object becomes an empty one.
  const members = new Set(Array.isArray(found) ? found : []);
  return JSON.stringify([...members.add(member)].toSorted());
}

/** Describes an exchange in one line. */
export function describeExchange(exchange: Exchange): string {
  const {requestedAt, answeredAt} = exchange;
  const during = `[${requestedAt}, ${answeredAt === Number.POSITIVE_INFINITY ? 'never' : answeredAt}]`;
  if (exchange.kind === 'read') return `${during} read ${exchange.found.map(describeFound).join(', ')}`;
  const checks = exchange.checks.map(({key, expected}) => `${key} is ${expected}`);
  const condition = checks.length === 0 ? '' : ` if ${checks.join(' and ')}`;
  return `${during} ${exchange.writes.map(describeWrite).join(', ')}${condition}: ${describeOutcome(exchange.outcome)}`;
}

function describeFound({key, entry}: Found): string {
  return `${key} = ${entry === 'absent' ? 'absent' : `${entry.value} (revision ${entry.revision})`}`;
}

function describeWrite(write: Write): string {
  if (write.kind === 'put') return `put ${write.key} = ${write.value}`;
  return write.kind === 'patch' ? `patch ${write.key} with ${write.member}` : `delete ${write.key}`;
}

function describeOutcome(outcome: Outcome): string {
  if (outcome.kind === 'unknown') return 'no answer';
  if (outcome.kind === 'committed')
    return outcome.revision === undefined ? 'committed' : `committed as ${outcome.revision}`;
  return `refused, found ${outcome.conflicts.map(({key, actual}) => `${key} to be ${actual}`).join(' and ')}`;
}
