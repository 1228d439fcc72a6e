import {addMember, type Check, type Conflict, type Exchange, type SeenEntry} from './exchange.ts';

/** The entries of a store, and the revision of its last commit. */
export interface StoreState {
  readonly entries: ReadonlyMap<string, SeenEntry>;
  readonly revision: number;
}

/** An empty store. */
export const EMPTY: StoreState = {entries: new Map(), revision: 0};

/** Returns the exchange with the answer of a sequential store, and the store after it. */
export function perform(
  state: StoreState,
  exchange: Exchange,
): {readonly exchange: Exchange; readonly state: StoreState} {
  if (exchange.kind === 'read') {
    const found = exchange.found.map(({key}) => ({key, entry: state.entries.get(key) ?? ('absent' as const)}));
    return {exchange: {...exchange, found}, state};
  }
  const conflicts = exchange.checks.flatMap(check => findConflict(check, state.entries.get(check.key)));
  if (conflicts.length > 0) return {exchange: {...exchange, outcome: {kind: 'refused', conflicts}}, state};
  const revision = state.revision + 1;
  const entries = new Map(state.entries);
  for (const write of exchange.writes) {
    if (write.kind === 'delete') entries.delete(write.key);
    if (write.kind === 'put') entries.set(write.key, {value: write.value, revision});
    if (write.kind === 'patch')
      entries.set(write.key, {value: addMember(entries.get(write.key)?.value, write.member), revision});
  }
  // The answer to a deletion contains no revision.
  const hasRevision = exchange.writes.some(({kind}) => kind !== 'delete');
  const outcome = {kind: 'committed', ...(hasRevision ? {revision} : {})} as const;
  return {exchange: {...exchange, outcome}, state: {entries, revision}};
}

function findConflict({key, expected}: Check, found: SeenEntry | undefined): readonly Conflict[] {
  const actual = found?.revision ?? 'absent';
  const holds = expected === 'present' ? found !== undefined : expected === actual;
  return holds ? [] : [{key, actual}];
}
