import type {Transaction, TransactionOperation} from '../domain/entries.ts';
import {encodeJsonText, type JsonText, parseJsonText} from '../domain/json-text.ts';
import {findTtlProblems, invalidTransaction} from '../domain/transaction.ts';

/**
 * Writes the document of a transaction, with values and patches as they are.
 *
 * @throws {AppError} `invalid-transaction` for a time to live that is none; `invalid-json` for a value that is none: pasted into the document it could become something else.
 */
export function formatTransaction({checks = [], operations}: Transaction): Uint8Array {
  // Not every number can be written in JSON.
  const problems = findTtlProblems(operations);
  if (problems.length > 0) throw invalidTransaction(problems);
  const writer = new DocumentWriter();
  writer.text(`{"checks":${JSON.stringify(checks.map(formatCheck))},"operations":[`);
  for (const [index, operation] of operations.entries()) {
    if (index > 0) writer.text(',');
    writeOperation(writer, operation);
  }
  writer.text(']}');
  return writer.end();
}

function formatCheck({key, expected}: NonNullable<Transaction['checks']>[number]): object {
  return expected === 'absent' ? {key, absent: true} : {key, revision: String(expected)};
}

function writeOperation(writer: DocumentWriter, operation: TransactionOperation): void {
  const {kind, key} = operation;
  writer.text(JSON.stringify({kind, key}).slice(0, -1));
  if (kind === 'put') writer.member('value', operation.json);
  else if (kind === 'patch') writer.member('patch', operation.patch);
  if ((kind === 'put' || kind === 'touch') && operation.ttlSeconds !== undefined) {
    writer.text(`,"ttlSeconds":${operation.ttlSeconds}`);
  }
  writer.text('}');
}

/** Joins texts and bytes. */
class DocumentWriter {
  readonly #parts: Uint8Array[] = [];
  readonly #encoder = new TextEncoder();

  text(text: string): void {
    this.#parts.push(this.#encoder.encode(text));
  }

  member(name: string, value: string | Uint8Array): void {
    this.text(`,"${name}":`);
    this.#parts.push(readValue(value));
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

/** How deep it may be, the service knows. */
function readValue(value: string | Uint8Array): JsonText {
  const limits = {depthMax: Infinity};
  return typeof value === 'string' ? encodeJsonText(value, limits) : parseJsonText(value, limits);
}
