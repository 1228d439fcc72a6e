import type {ClientMembers} from '../members/client.ts';
import type {SentMembers} from '../members/sent.ts';
import type {StartMembers} from '../members/start.ts';
import {CASE_ROWS} from './cases.ts';
import {CLIENT_ROWS} from './client.ts';
import {DATA_ROWS} from './data.ts';
import type {AnyCase, AnyRow} from './row.ts';
import {SENT_ROWS} from './sent.ts';
import {START_ROWS} from './start.ts';

type Code = keyof SentMembers | keyof StartMembers | keyof ClientMembers;

/** Everything about every failure but its members. */
export const ROWS: Readonly<Record<Code, AnyRow>> = {
  ...DATA_ROWS,
  ...CASE_ROWS,
  ...SENT_ROWS,
  ...START_ROWS,
  ...CLIENT_ROWS,
};

/** All codes. */
export const FAILURE_CODES = Object.keys(ROWS) as readonly Code[];

/** Returns the row of a code; undefined for one that this version does not know. */
export function findRow(code: string): AnyRow | undefined {
  return Object.hasOwn(ROWS, code) ? ROWS[code as Code] : undefined;
}

/** Returns the cases of a code by name; one without a name if its message and advice do not depend on a member. */
export function listCases({cases, advice = '', ...row}: AnyRow): Readonly<Record<string, AnyCase>> {
  return cases ?? {'': {...row, advice}};
}

/** Returns the member of a failure that names its case, if it has several. */
export function caseOfFailure(failure: {readonly code: string}): Readonly<Record<string, string>> {
  const {by} = findRow(failure.code) ?? {};
  return by === undefined ? {} : {[by]: String((failure as Readonly<Record<string, unknown>>)[by])};
}

/** Returns the message and the advice for a failure; undefined for one that this version does not know. */
export function findCase(failure: {readonly code: string}): AnyCase | undefined {
  const row = findRow(failure.code);
  const cases = row === undefined ? {} : listCases(row);
  const [name = ''] = Object.values(caseOfFailure(failure));
  return Object.hasOwn(cases, name) ? cases[name] : undefined;
}
