import type {Transaction, TransactionOperation} from '../domain/entries.ts';
import {TRANSACTION_OPERATIONS_MAX} from '../domain/fixed-limits.ts';
import {encodeText} from '../domain/json-text.ts';
import type {GivenRevision, StoreRevision} from '../domain/revision.ts';
import type {ShapeOf} from '../domain/shape.ts';
import type {StoreId} from '../domain/store-id.ts';
import {findTtlProblems, invalidTransaction} from '../domain/transaction.ts';
import {assertJsonInput} from '../domain/value-text.ts';
import {ByteWriter} from './byte-writer.ts';
import {readDocument} from './read-document.ts';

/** Writes a revision as it is sent. */
export type RevisionFormat = (given: GivenRevision) => string;

/**
 * Writes the document of a transaction. Values and patches are copied as they are: they have to be JSON.
 *
 * @throws {AppError} `invalid-transaction` for an invalid time to live: not every number can be written in JSON;
 * `invalid-value` for a value in place of its JSON text.
 */
export function formatTransaction({checks = [], operations}: Transaction, format: RevisionFormat): Uint8Array {
  const problems = findTtlProblems(operations, {transactionOperationsMax: TRANSACTION_OPERATIONS_MAX});
  if (problems.length > 0) throw invalidTransaction(problems);
  const formatted = checks.map(({key, expected}) =>
    expected === 'absent' ? {key, absent: true} : {key, revision: format(expected)},
  );
  const writer = new ByteWriter().text(`{"checks":${JSON.stringify(formatted)},"operations":[`);
  for (const [index, operation] of operations.entries()) {
    if (index > 0) writer.text(',');
    writeOperation(writer, operation);
  }
  return writer.text(']}').end();
}

/** Returns whether a text or its bytes are JSON: anything else could change the meaning of a document that it is copied into. */
export function isJson(value: string | Uint8Array): boolean {
  try {
    JSON.parse(
      typeof value === 'string' ? value : new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(value),
    );
    return true;
  } catch {
    return false;
  }
}

function writeOperation(writer: ByteWriter, operation: TransactionOperation): void {
  const {kind, key} = operation;
  const ttl = 'ttlSeconds' in operation ? {ttlSeconds: operation.ttlSeconds} : {};
  writer.text(JSON.stringify({kind, key, ...ttl}).slice(0, -1));
  if (kind === 'put') writeMember(writer, {key, name: 'value', json: operation.json});
  else if (kind === 'patch') writeMember(writer, {key, name: 'patch', json: operation.patch});
  writer.text('}');
}

interface Member {
  readonly key: string;
  readonly name: string;
  readonly json: string | Uint8Array;
}

function writeMember(writer: ByteWriter, {key, name, json}: Member): void {
  assertJsonInput(key, json);
  writer.text(`,"${name}":`).bytes(typeof json === 'string' ? encodeText(json) : json);
}

/** Writes the revision of a commit. */
export function formatCommitted({storeId, revision}: StoreRevision): string {
  return JSON.stringify({storeId, revision: String(revision)});
}

/** Reads what {@link formatCommitted} writes. @throws {UnexpectedDocument} */
export function readCommitted(json: string): StoreRevision {
  const {storeId, revision} = readDocument<SentRevision>(json, SENT_REVISION);
  return {storeId, revision: Number(revision)};
}

interface SentRevision {
  readonly storeId: StoreId;
  readonly revision: string;
}

const SENT_REVISION: ShapeOf<SentRevision> = {storeId: 'string', revision: 'digits'};
