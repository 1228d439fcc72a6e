import type {Attempt, Change} from './ledger.ts';

/** The expected state of an entry. */
export interface Present {
  readonly revision: number;
  readonly text: string;
  readonly expiresAtMs?: number | undefined;
}

/** The state of an entry after an attempt that happened. */
export type Effect =
  | {readonly kind: 'entry-written'; readonly text: string; readonly expiry: Expiry}
  | {readonly kind: 'entry-deleted'};

/** Time of its expiry, if any. */
export type Expiry =
  | {readonly kind: 'never'}
  | {readonly kind: 'at'; readonly atMs: number}
  | {readonly kind: 'after'; readonly ttlSeconds: number};

/**
 * Returns the effects of an attempt by key, all of one commit. Empty if the attempt changes nothing.
 *
 * @returns Undefined if the attempt cannot have happened to these entries.
 */
export function effectsOf(
  {changes, clears}: Attempt,
  present: ReadonlyMap<string, Present>,
): ReadonlyMap<string, Effect> | undefined {
  const effects = new Map<string, Effect>();
  if (clears !== undefined)
    for (const key of present.keys()) if (key.startsWith(clears)) effects.set(key, {kind: 'entry-deleted'});
  for (const change of changes) {
    const entry = present.get(change.key);
    if (change.kind === 'delete' && entry === undefined) continue;
    const effect = effectOf(change, entry);
    if (effect === undefined) return undefined;
    effects.set(change.key, effect);
  }
  return effects;
}

function effectOf(change: Change, entry: Present | undefined): Effect | undefined {
  switch (change.kind) {
    case 'delete':
      return {kind: 'entry-deleted'};
    case 'put':
      return {kind: 'entry-written', text: change.text, expiry: expiryAfter(change.ttlSeconds ?? null)};
    case 'touch':
      return entry && {kind: 'entry-written', text: entry.text, expiry: expiryAfter(change.ttlSeconds)};
    case 'patch':
      return {kind: 'entry-written', text: patchText(entry?.text, change.mark), expiry: expiryOf(entry)};
  }
}

function expiryAfter(ttlSeconds: number | null): Expiry {
  return ttlSeconds === null ? {kind: 'never'} : {kind: 'after', ttlSeconds};
}

function expiryOf(entry: Present | undefined): Expiry {
  return entry?.expiresAtMs === undefined ? {kind: 'never'} : {kind: 'at', atMs: entry.expiresAtMs};
}

/** Formats the merge patch that leaves a mark in a value. */
export function formatPatch(mark: number): string {
  return `{"patched":${mark}}`;
}

/** Applies {@link formatPatch} to a value, byte for byte: members that the patch does not name keep their text. */
function patchText(text: string | undefined, mark: number): string {
  return text === undefined ? formatPatch(mark) : text.replace(/"patched":(?:null|[0-9]+)/, `"patched":${mark}`);
}
