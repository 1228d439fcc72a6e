import {
  addMember,
  type Check,
  type CommitExchange,
  describeExchange,
  type Exchange,
  type SeenEntry,
  type Write,
} from './exchange.ts';

export interface AnomalyOptions {
  /**
   * Maximum number of configurations before the search gives up and reports that. A correct history needs about one per
   * exchange. @default {1_000_000}
   */
  readonly configurationsMax?: number;
}

const CONFIGURATIONS_MAX = 1_000_000;

/**
 * Searches for a linearization: one order of all exchanges, each at a moment between its request and its answer, in
 * which a store would give every answer (Wing and Gong 1993, with the configuration cache of Lowe 2017). The store is
 * empty at first, has no other writers, and gives each commit, of any key, the next revision.
 *
 * @returns A description of the anomaly; undefined if such an order exists.
 */
export function findAnomaly(history: readonly Exchange[], options: AnomalyOptions = {}): string | undefined {
  return new Search(history).run(options.configurationsMax ?? CONFIGURATIONS_MAX);
}

/** The ordered exchanges so far, and the store after them. */
interface Configuration {
  /** All answered exchanges before this index are in the order, */
  readonly low: number;
  /** and so are these later ones. */
  readonly ahead: ReadonlySet<number>;
  /** Exchanges without an answer that happened. */
  readonly happened: ReadonlySet<number>;
  readonly revision: number;
  readonly entries: ReadonlyMap<string, SeenEntry>;
}

const START: Configuration = {low: 0, ahead: new Set(), happened: new Set(), revision: 0, entries: new Map()};

class Search {
  /** Answered exchanges, in the order of their requests. */
  readonly #answered: readonly Exchange[];
  /** Exchanges without an answer, which may happen. */
  readonly #unanswered: readonly CommitExchange[];
  /** Text that distinguishes the effect of an exchange without an answer. */
  readonly #effects: readonly string[];
  /** Revisions of commits with an answer: no other commit has them. */
  readonly #owned: ReadonlySet<number | undefined>;
  /** Entries that answers show, by the revision that wrote them. */
  readonly #sightings: ReadonlyMap<number, readonly Sighting[]>;

  constructor(history: readonly Exchange[]) {
    this.#answered = history.filter(each => !isUnanswered(each)).toSorted((a, b) => a.requestedAt - b.requestedAt);
    this.#unanswered = history.filter(isUnanswered);
    this.#owned = new Set(this.#answered.map(committedRevision));
    const sightings = this.#answered.flatMap(sightingsIn);
    this.#sightings = groupByRevision(sightings);
    // A written value matters only if a client saw it, or saw a value derived from it.
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

  /** Candidates for the next position, the likeliest last. */
  #successors(at: Configuration): readonly Configuration[] {
    const {candidates, until} = this.#candidates(at);
    const possible = this.#possible(at, until);
    const unchanging = candidates.find(index => explainsWithoutChange(at, this.#answered[index] as Exchange));
    const unchanged = unchanging === undefined ? [] : [this.#place(at, unchanging)];
    // An exchange that changes nothing fits as soon as its answer does: any other candidate can come after it just as
    // well, unless its time is over by then.
    if (unchanging !== undefined && !this.#isTooLateForSome(possible, unchanging)) return unchanged;
    const happened = this.#happen(at, possible);
    const committed = this.#commitAnswered(at, candidates);
    const isSeenNext = this.#sightings.has(at.revision + 1);
    return isSeenNext ? [...committed, ...unchanged, ...happened] : [...happened, ...committed, ...unchanged];
  }

  /** Answered exchanges that may be next, all requested before any other was answered, and the end of that time. */
  #candidates({low, ahead}: Configuration): {readonly candidates: readonly number[]; readonly until: number} {
    const candidates: number[] = [];
    let until = Number.POSITIVE_INFINITY;
    for (let index = low; index < this.#answered.length; index++) {
      const {requestedAt, answeredAt} = this.#answered[index] as Exchange;
      if (requestedAt > until) break;
      if (ahead.has(index)) continue;
      candidates.push(index);
      until = Math.min(until, answeredAt);
    }
    return {candidates, until};
  }

  /** Exchanges without an answer that may happen now: requested, and not too late. */
  #possible({low, ahead, happened}: Configuration, until: number): readonly number[] {
    const latest = Math.max(
      ...[low - 1, ...ahead].map(index => this.#answered[index]?.requestedAt ?? Number.NEGATIVE_INFINITY),
      ...[...happened].map(index => (this.#unanswered[index] as Exchange).requestedAt),
    );
    return [...this.#unanswered.keys()].filter(index => {
      const {requestedAt, answeredAt} = this.#unanswered[index] as Exchange;
      return !happened.has(index) && requestedAt < until && answeredAt > latest;
    });
  }

  #isTooLateForSome(possible: readonly number[], next: number): boolean {
    const {requestedAt} = this.#answered[next] as Exchange;
    return possible.some(index => (this.#unanswered[index] as Exchange).answeredAt < requestedAt);
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

  /** Places an exchange without an answer in the order. */
  #happen(at: Configuration, possible: readonly number[]): readonly Configuration[] {
    const revision = at.revision + 1;
    if (this.#owned.has(revision)) return [];
    const different = possible.filter(index => !possible.some(other => this.#isAsGood(other, index)));
    return different.flatMap(index => {
      const next = this.#commit(at, this.#unanswered[index] as CommitExchange);
      return next === undefined ? [] : [{...next, happened: new Set(at.happened).add(index)}];
    });
  }

  /** Returns whether the other exchange has the same effect, and leaves as much time to all others. */
  #isAsGood(other: number, index: number): boolean {
    if (other === index || this.#effects[other] !== this.#effects[index]) return false;
    const [a, b] = [this.#unanswered[other] as Exchange, this.#unanswered[index] as Exchange];
    return a.requestedAt < b.requestedAt && a.answeredAt <= b.answeredAt;
  }

  /** Returns the store after a commit; undefined if the commit cannot happen, or contradicts what was seen of it. */
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

  /** Places an answered exchange in the order. */
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
      `after ${placed(at)} of ${this.#answered.length} answers the store would be at revision ${at.revision} and contain`,
      `${entries.join(', ') || 'nothing'}; none of these can be next:`,
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

/** An entry of some revision as an answer shows it; conflicts show no value. */
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
