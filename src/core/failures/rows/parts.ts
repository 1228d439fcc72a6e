import type {Conflict, ImportedPart} from '../members/problems.ts';
import type {SentFailure} from '../members/sent.ts';
import {quote} from './words.ts';

/** Describes what became of a version of a plugin that does not start; `version` is the one before it. */
export function describeKept(version: string | undefined): string {
  if (version === undefined) return 'it was not installed';
  return `${version === '' ? 'the previous version' : `version ${version}`} was restored`;
}

/** Describes the part of an import that was stored; empty for other failures. */
export function describePart({imported, batches}: Partial<ImportedPart>): string {
  if (imported === undefined || batches === undefined) return '';
  if (batches === 0) return '; nothing was stored';
  const entries = imported === 1 ? '1 entry before it was' : `${imported} entries before it were`;
  return `; ${entries} stored, in ${batches} ${batches === 1 ? 'batch' : 'batches'}`;
}

/** Describes a check that did not hold. @param sent The precondition of the request, if no entry can have its ETag. */
export function describeConflict({key, expected, actual}: Conflict, sent?: string): string {
  return `Cannot change ${quote(key)}: expected ${describeState(expected, sent)}, found ${describeState(actual)}`;
}

function describeState(state: string, sent?: string): string {
  if (state === 'absent') return 'no entry';
  if (state === 'present') return 'an entry';
  if (state === '0') return sent === undefined ? 'a revision that no entry has' : `${sent}, which no entry has`;
  // A revision of another store includes its id: see `Conflict`.
  return `revision ${state.replaceAll(/[0-9a-z]{1,32}-([0-9]+)/g, '$1 of another store')}`;
}

/** Quotes the message of a back end. */
export function quoteMessage(message: string | undefined): string {
  return message === undefined ? '' : `, and it says ${quote(message)}`;
}

type BackEndFailed = Extract<SentFailure, {code: 'back-end-failed'}>;

/** The message and the advice for a back end that did not answer. */
export const UNREACHABLE = {
  text: ({url, stage, problem}: BackEndFailed) => `Cannot reach the back end at ${url}: ${problem} (${stage})`,
  advice: 'Check the address and the network; "crewroom doctor --script-url URL" shows which step fails',
};

/** Describes a failure that a back end answers. */
export function describeAnswer({url, backEndStatus, problem, message}: BackEndFailed): string {
  const what =
    problem === undefined ? `it failed with status ${backEndStatus}` : `${problem} (status ${backEndStatus})`;
  return `Cannot get an answer from the back end at ${url}: ${what}${quoteMessage(message)}`;
}
