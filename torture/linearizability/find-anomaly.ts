import {
  addMember,
  type Check,
  type CommitExchange,
  describeExchange,
  type Exchange,
  type SeenEntry,
  type Write,
} from './exchange.ts';

/** How {@link findAnomaly} searches. */
export interface AnomalyOptions {
  /**
   * How many configurations are looked at before the search gives up, which says so and accepts nothing. A right history takes
   * about one for each exchange. @default {1_000_000}
   */
  readonly configurationsMax?: number;
}

const CONFIGURATIONS_MAX = 1_000_000;

/**
 * Looks for one order in which everything could have happened, one exchange after the other, each at some moment
 * between its question and its answer, so that every answer is what a store would have said (Wing and Gong 1993; with the
 * memory of configurations of Lowe 2017). The store is empty at first, nobody else writes to it, and each commit, of
 * whichever key, takes the next revision.
 *
 * @returns What is wrong, in words; undefined where such an order exists.
 */
export function findAnomaly(history: readonly Exchange[], options: AnomalyOptions = {}): string | undefined {
  return new Search(history).run(options.configurationsMax ?? CONFIGURATIONS_MAX);
}

/** How far an order has come, and what the store holds then. */
interface Configuration {
  /** Every exchange with an answer before this place has its place in the order, */
  readonly low: number;
  /** and so have these behind it. */
  readonly ahead: ReadonlySet<number>;
  /** Those without an answer that happened. */
  readonly happened: ReadonlySet<number>;
  readonly revision: number;
  readonly entries: ReadonlyMap<string, SeenEntry>;
}

const START: Configuration = {low: 0, ahead: new Set(), happened: new Set(), revision: 0, entries: new Map()};

class Search {
  /** Those with an answer, in the order in which they were asked for. */
  readonly #answered: readonly Exchange[];
  /** Those without, which may happen. */
  readonly #unanswered: readonly CommitExchange[];
  /** What makes one of those without an answer differ from another. */
  readonly #effects: readonly string[];
  /** The revisions of commits with an answer: no other commit has them. */
  readonly #owned: ReadonlySet<number | undefined>;
  /** What answers tell of the entries that a commit left behind, by its revision. */
  readonly #sightings: ReadonlyMap<number, readonly Sighting[]>;

  constructor(history: readonly Exchange[]) {
    this.#answered = history.filter(each => !isUnanswered(each)).toSorted((a, b) => a.askedAt - b.askedAt);
    this.#unanswered = history.filter(isUnanswered);
    this.#owned = new Set(this.#answered.map(committedRevision));
    const sightings = this.#answered.flatMap(sightingsIn);
    this.#sightings = groupByRevision(sightings);
    // What was written makes a difference only where somebody saw it, or could see it in what others made of it.
    const patched = new Set(history.flatMap(patchedKeysIn));
    const valuesSeen = new Set(sightings.map(({value}) => value));
    const effectOf = (write: Write): object =>
      write.kind === 'patch' || (write.kind === 'put' && (valuesSeen.has(write.value) || patched.has(write.key)))
        ? write
        : [write.kind, write.key];
    this.#effects = this.#unanswered.map(({checks, writes}) => JSON.stringify([checks, writes.map(effectOf)]));
  }

  run(configurationsMax: number): string | undefined {
    const seen = new Set<string>();
    const open: Configuration[] = [START];
    let furthest = START;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (at.low === this.#answered.length) return undefined;
      if (seen.size > configurationsMax)
        return `no order was found within ${configurationsMax} configurations; ${this.#describe(furthest)}`;
      if (placed(at) > placed(furthest)) furthest = at;
      for (const next of this.#successors(at)) {
        const id = identify(next);
        if (seen.has(id)) continue;
        seen.add(id);
        open.push(next);
      }
    }
    return `no order explains all answers; ${this.#describe(furthest)}`;
  }

  /** What may come next, the likeliest last. */
  #successors(at: Configuration): readonly Configuration[] {
    const {candidates, until} = this.#candidates(at);
    const possible = this.#possible(at, until);
    const unchanging = candidates.find(index => explainsWithoutChange(at, this.#answered[index] as Exchange));
    const unchanged = unchanging === undefined ? [] : [this.#place(at, unchanging)];
    // What changes nothing fits as soon as its answer does: whatever else could come before it can come after it just as well,
    // unless it is too late for it then.
    if (unchanging !== undefined && !this.#isTooLateForSome(possible, unchanging)) return unchanged;
    const happened = this.#happen(at, possible);
    const committed = this.#commitAnswered(at, candidates);
    const isSeenNext = this.#sightings.has(at.revision + 1);
    return isSeenNext ? [...committed, ...unchanged, ...happened] : [...happened, ...committed, ...unchanged];
  }

  /** The exchanges with an answer that may come next, all asked for before any other was answered, and until when that is. */
  #candidates({low, ahead}: Configuration): {readonly candidates: readonly number[]; readonly until: number} {
    const candidates: number[] = [];
    let until = Number.POSITIVE_INFINITY;
    for (let index = low; index < this.#answered.length; index++) {
      const {askedAt, answeredAt} = this.#answered[index] as Exchange;
      if (askedAt > until) break;
      if (ahead.has(index)) continue;
      candidates.push(index);
      until = Math.min(until, answeredAt);
    }
    return {candidates, until};
  }

  /** Those without an answer that may happen now: asked for, and not too late. */
  #possible({low, ahead, happened}: Configuration, until: number): readonly number[] {
    const latest = Math.max(
      ...[low - 1, ...ahead].map(index => this.#answered[index]?.askedAt ?? Number.NEGATIVE_INFINITY),
      ...[...happened].map(index => (this.#unanswered[index] as Exchange).askedAt),
    );
    return [...this.#unanswered.keys()].filter(index => {
      const {askedAt, answeredAt} = this.#unanswered[index] as Exchange;
      return !happened.has(index) && askedAt < until && answeredAt > latest;
    });
  }

  #isTooLateForSome(possible: readonly number[], next: number): boolean {
    const {askedAt} = this.#answered[next] as Exchange;
    return possible.some(index => (this.#unanswered[index] as Exchange).answeredAt < askedAt);
  }

  #commitAnswered(at: Configuration, candidates: readonly number[]): readonly Configuration[] {
    return candidates.flatMap(index => {
      const exchange = this.#answered[index] as Exchange;
      if (exchange.kind !== 'commit' || exchange.outcome.kind !== 'committed') return [];
      const {revision} = exchange.outcome;
      if (revision === undefined ? this.#owned.has(at.revision + 1) : revision !== at.revision + 1) return [];
      const next = this.#commit(at, exchange);
      return next === undefined ? [] : [this.#place(next, index)];
    });
  }

  /** One of those without an answer happened. */
  #happen(at: Configuration, possible: readonly number[]): readonly Configuration[] {
    const revision = at.revision + 1;
    if (this.#owned.has(revision)) return [];
    const different = possible.filter(index => !possible.some(other => this.#isAsGood(other, index)));
    return different.flatMap(index => {
      const next = this.#commit(at, this.#unanswered[index] as CommitExchange);
      return next === undefined ? [] : [{...next, happened: new Set(at.happened).add(index)}];
    });
  }

  /** Whether the other one makes the same difference, and leaves as much time to all others. */
  #isAsGood(other: number, index: number): boolean {
    if (other === index || this.#effects[other] !== this.#effects[index]) return false;
    const [a, b] = [this.#unanswered[other] as Exchange, this.#unanswered[index] as Exchange];
    return a.askedAt < b.askedAt && a.answeredAt <= b.answeredAt;
  }

  /** The store after a commit; undefined where it cannot happen, or is not what was seen of it. */
  #commit(at: Configuration, {checks, writes}: CommitExchange): Configuration | undefined {
    if (!checks.every(check => holds(check, at.entries.get(check.key)))) return undefined;
    const revision = at.revision + 1;
    const entries = new Map(at.entries);
    for (const write of writes) {
      if (write.kind === 'delete') entries.delete(write.key);
      else {
        const value = write.kind === 'put' ? write.value : addMember(entries.get(write.key)?.value, write.member);
        entries.set(write.key, {value, revision});
      }
    }
    const isAsSeen = (this.#sightings.get(revision) ?? []).every(({key, value}) => {
      const entry = entries.get(key);
      return entry?.revision === revision && (value === undefined || value === entry.value);
    });
    return isAsSeen ? {...at, entries, revision} : undefined;
  }

  /** Gives an exchange with an answer its place in the order. */
  #place(at: Configuration, index: number): Configuration {
    const ahead = new Set(at.ahead).add(index);
    let {low} = at;
    while (ahead.delete(low)) low++;
    return {...at, low, ahead};
  }

  #describe(at: Configuration): string {
    const entries = [...at.entries].map(([key, {value, revision}]) => `${key} = ${value} (revision ${revision})`);
    const {candidates} = this.#candidates(at);
    return [
      `after ${placed(at)} of ${this.#answered.length} answers the store would be at revision ${at.revision} and hold`,
      `${entries.join(', ') || 'nothing'}; none of these can be the next one:`,
      ...candidates.map(index => describeExchange(this.#answered[index] as Exchange)),
    ].join('\n');
  }
}

function explainsWithoutChange({entries}: Configuration, exchange: Exchange): boolean {
  if (exchange.kind === 'read')
    return exchange.found.every(({key, entry}) => {
      const stored = entries.get(key);
      if (entry === 'absent') return stored === undefined;
      return stored?.value === entry.value && stored.revision === entry.revision;
    });
  const {checks, outcome} = exchange;
  if (outcome.kind !== 'refused' || outcome.conflicts.length === 0) return false;
  return checks.every(check => {
    const conflict = outcome.conflicts.find(({key}) => key === check.key);
    const stored = entries.get(check.key);
    if (conflict === undefined) return holds(check, stored);
    return !holds(check, stored) && (stored?.revision ?? 'absent') === conflict.actual;
  });
}

function holds({expected}: Check, stored: SeenEntry | undefined): boolean {
  if (expected === 'absent') return stored === undefined;
  return stored !== undefined && (expected === 'present' || stored.revision === expected);
}

/** An entry of some revision, as an answer tells of it: a conflict does so without the value. */
interface Sighting {
  readonly key: string;
  readonly revision: number;
  readonly value?: string;
}

function sightingsIn(exchange: Exchange): readonly Sighting[] {
  if (exchange.kind === 'read')
    return exchange.found.flatMap(({key, entry}) => (entry === 'absent' ? [] : [{key, ...entry}]));
  if (exchange.outcome.kind !== 'refused') return [];
  return exchange.outcome.conflicts.flatMap(({key, actual}) => (actual === 'absent' ? [] : [{key, revision: actual}]));
}

function groupByRevision(sightings: readonly Sighting[]): ReadonlyMap<number, readonly Sighting[]> {
  const groups = new Map<number, Sighting[]>();
  for (const sighting of sightings) {
    const group = groups.get(sighting.revision);
    if (group === undefined) groups.set(sighting.revision, [sighting]);
    else group.push(sighting);
  }
  return groups;
}

function patchedKeysIn(exchange: Exchange): readonly string[] {
  if (exchange.kind === 'read') return [];
  return exchange.writes.filter(({kind}) => kind === 'patch').map(({key}) => key);
}

function committedRevision(exchange: Exchange): number | undefined {
  return exchange.kind === 'commit' && exchange.outcome.kind === 'committed' ? exchange.outcome.revision : undefined;
}

function isUnanswered(exchange: Exchange): exchange is CommitExchange {
  return exchange.kind === 'commit' && exchange.outcome.kind === 'unknown';
}

function placed({low, ahead}: Configuration): number {
  return low + ahead.size;
}

function identify({low, ahead, happened, revision, entries}: Configuration): string {
  const stored = [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const sorted = [ahead, happened].map(set => [...set].toSorted((a, b) => a - b));
  return JSON.stringify([low, sorted, revision, stored]);
}
