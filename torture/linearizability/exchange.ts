/** What one caller asked of the store, what it heard, and when: by a clock that all callers of a history share. */
export type Exchange = ReadExchange | CommitExchange;

/** The moments of an exchange; no two of a history are the same. */
interface Moments {
  readonly askedAt: number;
  /** Of a commit whose outcome is unknown: when it has happened if it ever does; Infinity where that may be at any later time. */
  readonly answeredAt: number;
}

/** Some entries were read, as they were at one moment. */
export interface ReadExchange extends Moments {
  readonly kind: 'read';
  readonly found: readonly Found[];
}

/** Some entries were written, all or nothing, if what was expected of them held. */
export interface CommitExchange extends Moments {
  readonly kind: 'commit';
  readonly checks: readonly Check[];
  readonly writes: readonly Write[];
  readonly outcome: Outcome;
}

/** What a reader found under a key. */
export interface Found {
  readonly key: string;
  readonly entry: SeenEntry | 'absent';
}

/** An entry as it was seen. */
export interface SeenEntry {
  readonly value: string;
  readonly revision: number;
}

/** What a commit expects of an entry. What a writer learns from its answer, such as that it created the entry, is one too. */
export interface Check {
  readonly key: string;
  readonly expected: number | 'absent' | 'present';
}

/** What a commit does to an entry. */
export type Write =
  | {readonly kind: 'put'; readonly key: string; readonly value: string}
  /** Adds a member to the object that is there, or to an empty one. */
  | {readonly kind: 'patch'; readonly key: string; readonly member: string}
  | {readonly kind: 'delete'; readonly key: string};

/** What a writer heard. */
export type Outcome =
  /** It happened. An answer to a deletion does not tell its revision. */
  | {readonly kind: 'committed'; readonly revision?: number}
  /** It did not happen: these checks did not hold, all others did. */
  | {readonly kind: 'refused'; readonly conflicts: readonly Conflict[]}
  /** No answer came: it happened, or happens later, or never. */
  | {readonly kind: 'unknown'};

/** What was found in place of what a check expected. */
export interface Conflict {
  readonly key: string;
  readonly actual: number | 'absent';
}

/** Adds a member to a value: how objects that are patched stand in a history, as the sorted list of their members. */
export function addMember(value: string | undefined, member: string): string {
  const found: unknown = value === undefined ? undefined : JSON.parse(value);
  // As RFC 7396 has it: what is no object becomes an empty one.
  const members = new Set(Array.isArray(found) ? found : []);
  return JSON.stringify([...members.add(member)].toSorted());
}

/** One line for people. */
export function describeExchange(exchange: Exchange): string {
  const {askedAt, answeredAt} = exchange;
  const during = `[${askedAt}, ${answeredAt === Number.POSITIVE_INFINITY ? 'never' : answeredAt}]`;
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
