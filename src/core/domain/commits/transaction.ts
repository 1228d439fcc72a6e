import {AppError} from '../../failures/app-error.ts';
import type {DocumentProblem} from '../../failures/members/problems.ts';
import {describeSurplus} from '../../json/document-object.ts';
import type {Transaction, TransactionOperation} from '../entries/entries.ts';
import type {Limits} from '../limits.ts';
import {COMMIT_ID_LENGTH_MAX} from './commit.ts';
import {isTtl, TTL_DESCRIPTION} from './time-to-live.ts';

/** Maximum number of reported problems of a transaction: a document may have one every few bytes. */
export const TRANSACTION_PROBLEMS_MAX = 100;

/** Form of the id of a transaction. */
export const COMMIT_ID = new RegExp(`^[\\x21-\\x7e]{1,${COMMIT_ID_LENGTH_MAX}}$`);
const COMMIT_ID_DESCRIPTION = `has to be 1 to ${COMMIT_ID_LENGTH_MAX} visible characters of ASCII`;

/** The limits of the lists of a transaction. */
type TransactionLimits = Pick<Limits, 'transactionChecksMax' | 'transactionOperationsMax'>;

/**
 * Checks a transaction as a whole: its id, its counts, its times to live, and that no key occurs twice among the checks or
 * among the operations.
 *
 * @throws {AppError} `invalid-body` with the path of each problem.
 */
export function assertTransaction({id, checks = [], operations}: Transaction, limits: TransactionLimits): void {
  const problems = [
    ...(id === undefined || COMMIT_ID.test(id) ? [] : [{path: '$.id', problem: COMMIT_ID_DESCRIPTION}]),
    ...findListProblems('$.checks', checks, limits.transactionChecksMax),
    ...findListProblems('$.operations', operations, limits.transactionOperationsMax),
    ...findTtlProblems(operations, limits),
  ];
  if (problems.length > 0) throw invalidTransaction(problems);
}

/** Validates every `ttlSeconds`. Skipped if there are too many operations, which is reported anyway. */
export function findTtlProblems(
  operations: readonly TransactionOperation[],
  {transactionOperationsMax}: Pick<TransactionLimits, 'transactionOperationsMax'>,
): readonly DocumentProblem[] {
  if (operations.length > transactionOperationsMax) return [];
  const problems: DocumentProblem[] = [];
  operations.forEach((operation, index) => {
    if (operation.kind !== 'put' && operation.kind !== 'touch') return;
    const {ttlSeconds} = operation;
    if (ttlSeconds === (operation.kind === 'put' ? undefined : null) || isTtl(ttlSeconds)) return;
    problems.push({path: `$.operations[${index}].ttlSeconds`, problem: describeTtl(operation.kind)});
  });
  return problems;
}

/** Returns the failure for a transaction with problems. */
export function invalidTransaction(problems: readonly DocumentProblem[]): AppError {
  return new AppError({
    code: 'invalid-body',
    what: 'transaction',
    problems: problems.slice(0, TRANSACTION_PROBLEMS_MAX),
  });
}

/** Describes the problem of an operation with an invalid time to live. */
export function describeTtl(kind: 'put' | 'touch'): string {
  return `has to be ${TTL_DESCRIPTION}${kind === 'touch' ? ', or null' : ''}`;
}

function findListProblems(
  path: string,
  elements: readonly {readonly key: string}[],
  countMax: number,
): readonly DocumentProblem[] {
  if (elements.length > countMax) return [{path, problem: describeSurplus(countMax)}];
  // Without places, which nearly no transaction needs.
  if (new Set(elements.map(({key}) => key)).size === elements.length) return [];
  const places = new Map<string, string>();
  return elements.flatMap(({key}, index) => {
    const place = `${path}[${index}].key`;
    const before = places.get(key);
    if (before !== undefined) return [{path: place, problem: `is the same as ${before}`}];
    places.set(key, place);
    return [];
  });
}
