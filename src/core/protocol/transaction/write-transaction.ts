import type {Committed, Transaction, TransactionOperation} from '../../domain/entries/entries.ts';
import {
  type EntityTag,
  formatEntityTag,
  type GivenRevision,
  parseEntityTag,
  type StoreRevision,
  untagged,
} from '../../domain/entries/identifiers.ts';
import {jsonTextOf} from '../../domain/entries/value.ts';
import {parseDocument} from '../text/read-document.ts';

/** Writes a revision as it is sent. */
export type RevisionFormat = (given: GivenRevision) => string;

/**
 * Writes the document of a transaction. Values and patches are copied as they are: they have to be JSON, see {@link isWritable}.
 */
export function formatTransaction({id, checks = [], operations}: Transaction, format: RevisionFormat): string {
  const formatted = checks.map(({key, expected}) =>
    expected === 'absent' ? {key, absent: true} : {key, revision: format(untagged(expected))},
  );
  const named = id === undefined ? '' : `"id":${JSON.stringify(id)},`;
  return `{${named}"checks":${JSON.stringify(formatted)},"operations":[${operations.map(formatOperation).join()}]}`;
}

function formatOperation(operation: TransactionOperation): string {
  const {kind, key} = operation;
  const ttlSeconds = 'ttlSeconds' in operation ? operation.ttlSeconds : undefined;
  const head = JSON.stringify({kind, key, ttlSeconds}, keepNumber).slice(0, -1);
  if (kind === 'put') return `${head},"value":${textOf(key, operation.value)}}`;
  if (kind === 'patch') return `${head},"patch":${textOf(key, operation.patch)}}`;
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
  return isJson('value' in operation ? operation.value : 'patch' in operation ? operation.patch : undefined);
}

function isJson(value: unknown): boolean {
  if (!(value instanceof Uint8Array)) return true;
  try {
    JSON.parse(decode(value));
    return true;
  } catch {
    return false;
  }
}

/** @throws {TypeError} For bytes not in UTF-8. @throws {AppError} `invalid-value` for a value without JSON text. */
function textOf(key: string, value: unknown): string {
  const json = jsonTextOf(key, value);
  return typeof json === 'string' ? json : decode(json);
}

function decode(json: Uint8Array): string {
  return new TextDecoder('utf-8', {fatal: true, ignoreBOM: true}).decode(json);
}

/** Writes the result of a commit. */
export function formatCommitted(at: StoreRevision): string {
  return JSON.stringify({revision: String(at.revision), etag: formatEntityTag(at)});
}

/** Reads what {@link formatCommitted} writes. */
export function readCommitted(json: string): StoreRevision & Committed {
  const {etag} = parseDocument<{readonly etag: EntityTag}>(json);
  const {storeId, revision} = parseEntityTag(etag) as StoreRevision;
  return {storeId, revision, etag};
}
