import fc from 'fast-check';
import type {Check, CommitExchange, Exchange, Write} from './exchange.ts';
import {EMPTY, perform, type StoreState} from './simulated-store.ts';

/** Sizes of the histories. */
export interface HistoryOptions {
  readonly exchangesMax: number;
}

/** Next request of a caller. */
interface Plan {
  readonly kind: 'read' | 'readBoth' | 'put' | 'patch' | 'delete' | 'transaction';
  readonly key: string;
  readonly value: string;
  readonly expects: 'anything' | 'known revision' | 'older revision' | 'absent' | 'present';
  /** Cut off: an answer is lost, and the request happens by then or never. Late: it may happen long after. */
  readonly fate: 'answered' | 'cutOff' | 'late' | 'lost';
  readonly startMs: number;
  readonly untilHappensMs: number;
  readonly untilAnswerMs: number;
}

const KEYS = ['a', 'b'] as const;

/** Creates histories of a store that handles one request after the other, with concurrent callers. */
export function simulatedHistories({exchangesMax}: HistoryOptions): fc.Arbitrary<readonly Exchange[]> {
  const plan: fc.Arbitrary<Plan> = fc.record({
    kind: fc.constantFrom('read', 'readBoth', 'put', 'put', 'patch', 'delete', 'transaction'),
    key: fc.constantFrom(...KEYS),
    value: fc.constantFrom('1', '2', '[]'),
    expects: fc.constantFrom('anything', 'known revision', 'older revision', 'absent', 'present'),
    fate: fc.constantFrom('answered', 'answered', 'answered', 'cutOff', 'late', 'lost'),
    startMs: fc.nat(2 * exchangesMax),
    untilHappensMs: fc.nat(6),
    untilAnswerMs: fc.nat(6),
  });
  return fc.array(plan, {minLength: 1, maxLength: exchangesMax}).map(simulate);
}

function simulate(plans: readonly Plan[]): readonly Exchange[] {
  const moments = plans
    .flatMap((plan, index) => momentsOf(plan).map(moment => ({...moment, index})))
    .toSorted((a, b) => a.atMs - b.atMs);
  const exchanges: Exchange[] = [];
  const history: Exchange[] = [];
  /** Revisions that callers know so far: checks name no other revision. */
  const known = new Map<string, number>();
  let state: StoreState = EMPTY;
  for (const [now, {step, index}] of moments.entries()) {
    const plan = plans[index] as Plan;
    const exchange = exchanges[index];
    if (step === 'ask') exchanges[index] = ask(plan, known, now + 1);
    if (step === 'happen' && exchange !== undefined) {
      const performed = perform(state, exchange);
      ({state} = performed);
      exchanges[index] = plan.fate === 'answered' ? performed.exchange : exchange;
    }
    if (step === 'answer' && exchange !== undefined) {
      history.push({...exchange, answeredAt: now + 1});
      for (const [key, revision] of revisionsIn(exchange)) known.set(key, revision);
    }
    if (step === 'forget' && exchange?.kind === 'commit') history.push(exchange);
  }
  return history;
}

function revisionsIn(exchange: Exchange): readonly (readonly [key: string, revision: number])[] {
  if (exchange.kind === 'read')
    return exchange.found.flatMap(({key, entry}) => (entry === 'absent' ? [] : [[key, entry.revision] as const]));
  const {outcome, writes} = exchange;
  if (outcome.kind !== 'committed' || outcome.revision === undefined) return [];
  const {revision} = outcome;
  return writes.map(({key}) => [key, revision] as const);
}

interface Moment {
  readonly atMs: number;
  readonly step: 'ask' | 'happen' | 'answer' | 'forget';
}

/** Effect and time of a caller's request. A commit without an answer keeps its unknown outcome. */
function momentsOf({kind, fate, startMs, untilHappensMs, untilAnswerMs}: Plan): readonly Moment[] {
  const happensMs = startMs + untilHappensMs;
  const ask: Moment = {atMs: startMs, step: 'ask'};
  const happen: Moment = {atMs: happensMs, step: 'happen'};
  const answer: Moment = {atMs: happensMs + untilAnswerMs, step: 'answer'};
  const forget: Moment = {atMs: startMs, step: 'forget'};
  if (fate === 'answered') return [ask, happen, answer];
  // A read without an answer leaves no trace.
  if (kind === 'read' || kind === 'readBoth') return [];
  if (fate === 'cutOff') return untilHappensMs % 2 === 0 ? [ask, happen, answer] : [ask, answer];
  return fate === 'late' ? [ask, forget, {...happen, atMs: happensMs + 3 * untilAnswerMs}] : [ask, forget];
}

function ask(plan: Plan, known: ReadonlyMap<string, number>, requestedAt: number): Exchange {
  const {kind, key, value} = plan;
  const moments = {requestedAt, answeredAt: Number.POSITIVE_INFINITY};
  if (kind === 'read' || kind === 'readBoth') {
    const keys = kind === 'read' ? [key] : KEYS;
    return {...moments, kind: 'read', found: keys.map(each => ({key: each, entry: 'absent'}))};
  }
  const keys = kind === 'transaction' ? KEYS : [key];
  const checks = keys.flatMap(each => checkOf(plan, each, known.get(each)));
  const writes = keys.map((each): Write => {
    if (kind === 'delete') return {kind: 'delete', key: each};
    if (kind === 'patch') return {kind: 'patch', key: each, member: value};
    return {kind: 'put', key: each, value};
  });
  return {...moments, kind: 'commit', checks, writes, outcome: {kind: 'unknown'}};
}

function checkOf({kind, expects}: Plan, key: string, known: number | undefined): readonly Check[] {
  // A deletion that finds nothing changes nothing; a success shows that there was an entry.
  if (kind === 'delete') return [{key, expected: 'present'}];
  if (expects === 'anything') return [];
  if (expects === 'absent' || expects === 'present') return [{key, expected: expects}];
  if (known === undefined) return [{key, expected: 'absent'}];
  return [{key, expected: expects === 'known revision' ? known : known - 1}];
}

/** Creates a history with one detail changed: often wrong, sometimes still right. */
export function mutations(history: readonly Exchange[]): fc.Arbitrary<readonly Exchange[]> {
  const place = fc.nat(Math.max(0, history.length - 1));
  const mutate = fc.constantFrom(raiseRevision, lowerRevision, changeValue, forgetAnswer, claimSuccess, claimAbsence);
  const changed = fc
    .tuple(place, mutate)
    .map(([at, change]) => history.map((each, index) => (index === at ? change(each) : each)));
  const moved = fc.tuple(place, fc.integer({min: -8, max: 8})).map(([at, by]) => move(history, at, by));
  return fc.oneof(changed, changed, moved, fc.constant(history));
}

function raiseRevision(exchange: Exchange): Exchange {
  return changeRevision(exchange, 1);
}

function lowerRevision(exchange: Exchange): Exchange {
  return changeRevision(exchange, -1);
}

function changeRevision(exchange: Exchange, by: number): Exchange {
  if (exchange.kind === 'read')
    return {
      ...exchange,
      found: exchange.found.map(({key, entry}) => ({
        key,
        entry: entry === 'absent' ? entry : {...entry, revision: entry.revision + by},
      })),
    };
  const {outcome} = exchange;
  if (outcome.kind === 'committed' && outcome.revision !== undefined)
    return {...exchange, outcome: {...outcome, revision: outcome.revision + by}};
  if (outcome.kind !== 'refused') return exchange;
  const conflicts = outcome.conflicts.map(({key, actual}) => ({
    key,
    actual: actual === 'absent' ? actual : actual + by,
  }));
  return {...exchange, outcome: {...outcome, conflicts}};
}

function changeValue(exchange: Exchange): Exchange {
  if (exchange.kind === 'commit') return exchange;
  const found = exchange.found.map(({key, entry}) => ({
    key,
    entry:
      entry === 'absent' ? ({value: '1', revision: 1} as const) : {...entry, value: entry.value === '1' ? '2' : '1'},
  }));
  return {...exchange, found};
}

function claimAbsence(exchange: Exchange): Exchange {
  if (exchange.kind === 'commit') return exchange;
  return {...exchange, found: exchange.found.map(({key}) => ({key, entry: 'absent'}))};
}

function forgetAnswer(exchange: Exchange): Exchange {
  return exchange.kind === 'commit' ? {...exchange, outcome: {kind: 'unknown'}} : exchange;
}

function claimSuccess(exchange: Exchange): Exchange {
  if (exchange.kind === 'read') return exchange;
  const hasRevision = exchange.writes.some(({kind}) => kind !== 'delete');
  const outcome: CommitExchange['outcome'] = {
    kind: 'committed',
    ...(hasRevision ? {revision: exchange.requestedAt} : {}),
  };
  return {...exchange, outcome, answeredAt: Math.min(exchange.answeredAt, exchange.requestedAt + 100)};
}

/** Moves an exchange in time; all times still differ. */
function move(history: readonly Exchange[], at: number, by: number): readonly Exchange[] {
  return history.map((each, index) =>
    index === at ? {...each, requestedAt: each.requestedAt + by + 0.5, answeredAt: each.answeredAt + by + 0.5} : each,
  );
}
