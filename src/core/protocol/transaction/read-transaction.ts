import {isTtl} from '../../domain/commits/time-to-live.ts';
import {describeTtl, invalidTransaction, TRANSACTION_PROBLEMS_MAX} from '../../domain/commits/transaction.ts';
import type {Transaction, TransactionOperation} from '../../domain/entries/entries.ts';
import {type GivenRevision, parseRevision} from '../../domain/entries/identifiers.ts';
import {KEY_BYTES_MAX} from '../../domain/fixed-limits.ts';
import type {Limits} from '../../domain/limits.ts';
import {AppError, isFailure} from '../../failures/app-error.ts';
import type {DocumentProblem} from '../../failures/members/problems.ts';
import {DOCUMENT_MEMBERS_MAX, DocumentObject, type DocumentPlace, describeBreadth} from '../../json/document-object.ts';
import {JsonIndex} from '../../json/json-index.ts';
import {TooBroad} from '../../json/json-limits.ts';

/** Levels of the document around a value: the document itself, its list of operations, one of them. */
const LEVELS_AROUND_VALUE = 3;

/** Longest string or number that is decoded, in UTF-16 units: keys are the longest of a transaction. */
const STRING_LENGTH_MAX = KEY_BYTES_MAX;

/** The limits of {@link readTransaction}. */
export type TransactionLimits = Pick<Limits, 'valueDepthMax' | 'transactionChecksMax' | 'transactionOperationsMax'>;

/**
 * Reads the document of a transaction. Values and patches in it are not decoded: their bytes are passed on. A document with
 * too many parts is refused before any object is created for them.
 *
 * @throws {AppError} `invalid-json`; `value-too-deep`; `invalid-body` with the path of each problem.
 */
export function readTransaction(body: Uint8Array, limits: TransactionLimits): Transaction {
  // Not a `Buffer`, of which a part takes several times as long to create.
  const bytes = new Uint8Array(body.buffer, body.byteOffset, body.length);
  const index = indexDocument(bytes, limits);
  const problems: DocumentProblem[] = [];
  const report = (problem: DocumentProblem): void => {
    if (problems.length < TRANSACTION_PROBLEMS_MAX) problems.push(problem);
  };
  const root = new DocumentObject({index, span: index.root, path: '$', report});
  const id = root.has('id') ? root.string('id', STRING_LENGTH_MAX) : undefined;
  const checks = root.has('checks') ? root.list('checks') : [];
  const operations = root.list('operations');
  root.end();
  const transaction = {
    ...(id === undefined ? {} : {id}),
    checks: checks.flatMap(place => readCheck(place) ?? []),
    operations: operations.flatMap(place => readOperation(place) ?? []),
  };
  if (problems.length > 0) throw invalidTransaction(problems);
  return transaction;
}

function indexDocument(body: Uint8Array, limits: TransactionLimits): JsonIndex {
  const {valueDepthMax} = limits;
  const jsonLimits = {depthMax: valueDepthMax + LEVELS_AROUND_VALUE, breadthMax: breadthMax(limits)};
  try {
    return new JsonIndex(body, jsonLimits);
  } catch (error) {
    if (error instanceof TooBroad) throw invalidTransaction([describeBreadth(error)]);
    if (!isFailure(error, 'value-too-deep')) throw error;
    throw new AppError({...error.failure, depthMax: valueDepthMax}, {cause: error});
  }
}

/** Returns the maximum numbers of members of the document, elements of its lists, and members of each element. */
function breadthMax({transactionChecksMax, transactionOperationsMax}: TransactionLimits): readonly number[] {
  return [DOCUMENT_MEMBERS_MAX, Math.max(transactionChecksMax, transactionOperationsMax), DOCUMENT_MEMBERS_MAX];
}

function readCheck(place: DocumentPlace): NonNullable<Transaction['checks']>[number] | undefined {
  const check = new DocumentObject(place);
  const key = check.string('key', STRING_LENGTH_MAX);
  const expected = check.has('absent') ? readAbsence(check) : readRevision(check, place);
  check.end();
  return key === undefined || expected === undefined ? undefined : {key, expected};
}

function readAbsence(check: DocumentObject): 'absent' | undefined {
  const place = check.value('absent');
  if (place === undefined) return undefined;
  const {index, span} = place;
  if (span.end - span.start === 4 && index.bytes[span.start] === LOWER_T) return 'absent';
  place.report({path: place.path, problem: 'has to be true'});
  return undefined;
}

const LOWER_T = 0x74;

function readRevision(check: DocumentObject, place: DocumentPlace): GivenRevision | undefined {
  const text = check.string('revision', STRING_LENGTH_MAX);
  if (text === undefined) return undefined;
  const revision = parseRevision(text);
  if (revision !== undefined) return revision;
  place.report({path: `${place.path}.revision`, problem: 'has to be a revision, such as "12"'});
  return undefined;
}

function readOperation(place: DocumentPlace): TransactionOperation | undefined {
  const operation = new DocumentObject(place);
  const kind = operation.string('kind', STRING_LENGTH_MAX);
  const key = operation.string('key', STRING_LENGTH_MAX);
  const change = kind === undefined ? undefined : readChange(operation, {kind, key: key ?? '', place});
  return key === undefined ? undefined : change;
}

/** Reads what an operation has besides its kind and key. */
function readChange(
  operation: DocumentObject,
  {kind, key, place}: {readonly kind: string; readonly key: string; readonly place: DocumentPlace},
): TransactionOperation | undefined {
  switch (kind) {
    case 'put': {
      const value = operation.value('value');
      const ttlSeconds = operation.has('ttlSeconds') ? readTtl(operation) : undefined;
      operation.end();
      return value && {kind, key, value: value.index.json(value.span), ttlSeconds};
    }
    case 'touch': {
      const ttlSeconds = readTtl(operation, {orNull: true});
      operation.end();
      return ttlSeconds === undefined ? undefined : {kind, key, ttlSeconds};
    }
    case 'patch': {
      const patch = operation.value('patch');
      operation.end();
      return patch && {kind, key, patch: patch.index.json(patch.span)};
    }
    case 'delete':
      operation.end();
      return {kind, key};
    default:
      // The members of an unknown kind are unknown.
      place.report({path: `${place.path}.kind`, problem: 'has to be "put", "patch", "touch" or "delete"'});
      return undefined;
  }
}

function readTtl(operation: DocumentObject): number | undefined;
function readTtl(operation: DocumentObject, options: {readonly orNull: true}): number | null | undefined;
function readTtl(operation: DocumentObject, {orNull = false} = {}): number | null | undefined {
  const place = operation.value('ttlSeconds');
  if (place === undefined) return undefined;
  const {index, span} = place;
  const text = span.end - span.start > STRING_LENGTH_MAX ? '' : Buffer.from(index.json(span)).toString();
  if (orNull && text === 'null') return null;
  // `Number()` returns NaN for every other JSON text of a value that is not a number.
  const ttlSeconds = text === '' ? Number.NaN : Number(text);
  if (isTtl(ttlSeconds)) return ttlSeconds;
  place.report({path: place.path, problem: describeTtl(orNull ? 'touch' : 'put')});
  return undefined;
}
