import {refusedParameter} from '../../failures/failure-error.ts';
import type {Transaction} from '../entries/entries.ts';

/** Names of the options of each method that has some, and of the members of other objects that programs give. */
const NAMES = {
  call: ['signal', 'timeoutMs'],
  client: ['baseUrl', 'token', 'allowPlainHttp', 'timeoutMs', 'attemptsMax', 'signal', 'fetch'],
  get: ['schema'],
  put: ['expected', 'ttlSeconds'],
  patch: ['expected'],
  delete: ['expected'],
  list: ['prefix', 'after', 'limit', 'reverse', 'values', 'schema'],
  listAll: ['prefix', 'after', 'pageLimit', 'reverse', 'values', 'schema'],
  deleteRange: ['prefix'],
  transaction: ['id', 'checks', 'operations'],
  check: ['key', 'expected'],
  putOperation: ['kind', 'key', 'value', 'ttlSeconds'],
  patchOperation: ['kind', 'key', 'patch'],
  touchOperation: ['kind', 'key', 'ttlSeconds'],
  deleteOperation: ['kind', 'key'],
  events: ['kinds', 'prefix', 'after', 'initial'],
} as const;

/** Names of what pages do not call with `createClient()`. Each alone, so that pages do not load them. */
export const EXPORT_NAMES = ['prefix'];
export const IMPORT_NAMES = ['mode', 'keepAfter', 'dryRun'];
export const FOLLOW_NAMES = ['after', 'signal'];
export const SIGN_IN_NAMES = ['scriptURL', 'username', 'password'];

/** Describes a parameter that an operation does not have, with the one probably meant, or else all that it has. */
export function describeUnknown(name: string, known: readonly string[]): string {
  const part = name.toLowerCase();
  const meant = findSimilar(name, known) ?? known.find(each => part !== '' && each.toLowerCase().includes(part));
  const all = known.length === 0 ? '' : `; it has ${known.join(', ')}`;
  return `the operation has no such parameter${suggest(meant) || all}`;
}

/**
 * Checks the names in options, or in another object that a program gives: one that is ignored, such as a condition, would mislead the program.
 *
 * @param known Names, or the entries of the table that have them.
 * @throws {AppError} `invalid-parameter`.
 */
export function assertNames(
  given: object | undefined,
  ...known: readonly (keyof typeof NAMES | readonly string[])[]
): void {
  const names = known.flatMap<string>(each => (typeof each === 'string' ? NAMES[each] : each));
  const parameter = Object.keys(given ?? {}).find(name => !names.includes(name));
  if (parameter === undefined) return;
  // No similar name is looked for, since pages load this module.
  const problem = `the operation has no such parameter; it has ${names.join(', ') || 'none'}`;
  throw refusedParameter(parameter, problem);
}

/** Returns the options of a call that has no others. @throws As {@link assertNames}. */
export function checkedCall<T extends object>(options?: T): T | undefined {
  assertNames(options, 'call');
  return options;
}

/** Checks the names of a transaction, of its checks and of its operations. @throws As {@link assertNames}. */
export function assertTransactionNames(transaction: Transaction): void {
  assertNames(transaction, 'transaction');
  for (const check of transaction.checks ?? []) assertNames(check, 'check');
  for (const operation of transaction.operations) {
    const name = `${operation.kind}Operation` as const;
    if (name in NAMES) assertNames(operation, name);
  }
}

/**
 * Returns the known name that the user probably meant: the one with the smallest edit distance (letters that are wrong, missing,
 * extra or swapped), unless that distance is too large.
 */
export function findSimilar(name: string, known: Iterable<string>): string | undefined {
  let best: {readonly name: string; readonly distance: number} | undefined;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < (best?.distance ?? Infinity)) best = {name: candidate, distance};
  }
  return best !== undefined && best.distance <= DISTANCE_MAX && best.distance < name.length / 2 ? best.name : undefined;
}

/** Asks whether the user meant this, at the end of a sentence; empty if it is undefined. */
export function suggest(meant: string | undefined): string {
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

/** Largest edit distance of a typing error. */
const DISTANCE_MAX = 3;

/** Longest name that is compared, in UTF-16 units; longer ones would take long. */
const COMPARED_LENGTH_MAX = 64;

/** Returns the edit distance of two texts (optimal string alignment). */
function editDistance(a: string, b: string): number {
  if (a.length > COMPARED_LENGTH_MAX) return Infinity;
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({length: b.length + 1}, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
