import type {Transaction, TransactionOperation} from '../../domain/entries/entries.ts';
import type {GivenRevision, StoreRevision} from '../../domain/entries/revision.ts';
import type {StoreId} from '../../domain/entries/store-id.ts';
import type {ShapeOf} from '../../domain/shape.ts';
import {readDocument} from '../text/read-document.ts';

/** Writes a revision as it is sent. */
export type RevisionFormat = (given: GivenRevision) => string;

/**
 * Writes the document of a transaction. Values and patches are copied as they are: they have to be JSON, see {@link isWritable}.
 */
export function formatTransaction({id, checks = [], operations}: Transaction, format: RevisionFormat): string {
  const formatted = checks.map(({key, expected}) =>
    expected === 'absent' ? {key, absent: true} : {key, revision: format(expected)},
  );
  const named = id === undefined ? '' : `"id":${JSON.stringify(id)},`;
  return `{${named}"checks":${JSON.stringify(formatted)},"operations":[${operations.map(formatOperation).join()}]}`;
}

function formatOperation(operation: TransactionOperation): string {
  const {kind, key} = operation;
  const ttlSeconds = 'ttlSeconds' in operation ? operation.ttlSeconds : undefined;
  const head = JSON.stringify({kind, key, ttlSeconds}, keepNumber).slice(0, -1);
  if (kind === 'put') return `${head},"value":${textOf(operation.json)}}`;
  if (kind === 'patch') return `${head},"patch":${textOf(operation.patch)}}`;
  return `${head}}`;
}

/** Writes NaN and infinities as strings, so that the service refuses them: JSON would make them `null`, which has a meaning here. */
function keepNumber(_: string, member: unknown): unknown {
  return typeof member === 'number' && !Number.isFinite(member) ? String(member) : member;
}

/**
 * Returns whether the value or the patch of an operation is JSON, if it has one: anything else could change the meaning of a
 * document that it is copied into.
 */
export function isWritable(operation: TransactionOperation): boolean {
  if (operation.kind === 'put') return isJson(operation.json);
  return operation.kind !== 'patch' || isJson(operation.patch);
}

function isJson(json: string | Uint8Array): boolean {
  try {
    const text = textOf(json);
    JSON.parse(text);
    return text.isWellFormed();
  } catch {
    return false;
  }
}

/** @throws {TypeError} For bytes that are not UTF-8. */
function textOf(json: string | Uint8Array): string {
  return typeof json === 'string' ? json : new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(json);
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
