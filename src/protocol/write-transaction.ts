import type {PinnedStore} from '../client/pinned-store.ts';
import type {Transaction, TransactionOperation} from '../domain/entries.ts';
import {TRANSACTION_OPERATIONS_MAX} from '../domain/fixed-limits.ts';
import {encodeText} from '../domain/json-text.ts';
import {findTtlProblems, invalidTransaction} from '../domain/transaction.ts';
import {assertJsonInput} from '../domain/value-text.ts';

/**
 * Writes the document of a transaction, with values and patches as they are: they have to be JSON.
 *
 * @throws {AppError} `invalid-transaction` for a time to live that is none: not every number can be written in JSON;
 * `invalid-value` for a value in place of its JSON text.
 */
export function formatTransaction({checks = [], operations}: Transaction, store: PinnedStore): Uint8Array {
  const problems = findTtlProblems(operations, {transactionOperationsMax: TRANSACTION_OPERATIONS_MAX});
  if (problems.length > 0) throw invalidTransaction(problems);
  const writer = new DocumentWriter();
  const formatted = checks.map(({key, expected}) =>
    expected === 'absent' ? {key, absent: true} : {key, revision: store.format(expected)},
  );
  writer.text(`{"checks":${JSON.stringify(formatted)},"operations":[`);
  for (const [index, operation] of operations.entries()) {
    if (index > 0) writer.text(',');
    writeOperation(writer, operation);
  }
  writer.text(']}');
  return writer.end();
}

/** Whether something can be pasted into a document without becoming something else there. */
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

function writeOperation(writer: DocumentWriter, operation: TransactionOperation): void {
  const {kind, key} = operation;
  const ttl = 'ttlSeconds' in operation ? {ttlSeconds: operation.ttlSeconds} : {};
  writer.text(JSON.stringify({kind, key, ...ttl}).slice(0, -1));
  if (kind === 'put') assertJsonInput(key, operation.json);
  if (kind === 'patch') assertJsonInput(key, operation.patch);
  if (kind === 'put') writer.member('value', operation.json);
  else if (kind === 'patch') writer.member('patch', operation.patch);
  writer.text('}');
}

/** Joins texts and bytes. */
class DocumentWriter {
  readonly #parts: Uint8Array[] = [];

  text(text: string): void {
    this.#parts.push(encodeText(text));
  }

  member(name: string, value: string | Uint8Array): void {
    this.text(`,"${name}":`);
    // Copied with the rest at the end, before anybody else has a turn.
    this.#parts.push(typeof value === 'string' ? encodeText(value) : value);
  }

  end(): Uint8Array {
    const document = new Uint8Array(this.#parts.reduce((sum, {length}) => sum + length, 0));
    let at = 0;
    for (const part of this.#parts) {
      document.set(part, at);
      at += part.length;
    }
    return document;
  }
}
