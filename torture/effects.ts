import type {Attempt, Change} from './ledger.ts';

/** An entry as it has to be. */
export interface Present {
  readonly revision: number;
  readonly text: string;
  readonly expiresAtMs?: number | undefined;
}

/** What becomes of an entry when an attempt happens. */
export type Effect =
  | {readonly kind: 'entry-written'; readonly text: string; readonly expiry: Expiry}
  | {readonly kind: 'entry-deleted'};

/** When it then expires. */
export type Expiry =
  | {readonly kind: 'never'}
  | {readonly kind: 'at'; readonly atMs: number}
  | {readonly kind: 'after'; readonly ttlSeconds: number};

/**
 * Everything that an attempt does, all of it in one commit: by key. Empty when it changes nothing.
 *
 * @returns Undefined when it cannot have happened to entries such as these.
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

/** The merge patch that leaves a mark in a value. */
export function formatPatch(mark: number): string {
  return `{"patched":${mark}}`;
}

/** What a value is after {@link formatPatch}, to the byte: whatever the patch does not name keeps its text. */
function patchText(text: string | undefined, mark: number): string {
  return text === undefined ? formatPatch(mark) : text.replace(/"patched":(?:null|[0-9]+)/, `"patched":${mark}`);
}
