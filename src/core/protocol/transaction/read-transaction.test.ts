import {expect, test} from 'vitest';
import {AppError} from '../../failures/app-error.ts';
import {readTransaction} from './read-transaction.ts';

const LIMITS = {valueDepthMax: 3, transactionChecksMax: 3, transactionOperationsMax: 4};

/** A transaction as it is sent. */
interface Sent {
  readonly checks?: readonly unknown[];
  readonly operations: readonly unknown[];
}

/** Reads a document and writes it as it was sent, its values as they are; returns the code of a failure. */
function readBack(text: string): Sent | string {
  try {
    const {checks = [], operations} = readTransaction(Buffer.from(text), LIMITS);
    return {
      checks: checks.map(({key, expected}) =>
        expected === 'absent' ? {key, absent: true} : {key, revision: String(expected)},
      ),
      operations: operations.map(({...operation}) => {
        if (operation.kind !== 'put') return operation;
        const {value, ...rest} = operation;
        return {...rest, value: JSON.parse(Buffer.from(value as Uint8Array).toString())};
      }),
    };
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

const REFUSAL = /^invalid-(json|body)$/;

test('a document that lacks any part is refused, or read as what is left of it', () => {
  const document =
    '{"checks":[{"key":"b","absent":true},{"key":"c","revision":"12"}],' +
    '"operations":[{"kind":"put","key":"a","value":1,"ttlSeconds":10},{"kind":"delete","key":"d"}]}';
  expect(readBack(document)).toEqual(JSON.parse(document));
  const tokens = document.match(/"[^"]*"|[0-9]+|true|[{}[\]:,]/g) ?? [];
  let accepted = 0;
  for (let first = 0; first < tokens.length; first++)
    for (let last = first; last < tokens.length; last++) {
      const text = tokens.filter((_, at) => at < first || at > last).join('');
      const read = readBack(text);
      const isRefused = typeof read === 'string';
      const sent = isRefused ? undefined : (JSON.parse(text) as Sent);
      expect(read, text).toEqual(sent ? {...sent, checks: sent.checks ?? []} : expect.stringMatching(REFUSAL));
      if (!isRefused) accepted++;
    }
  expect(accepted).toBeGreaterThan(5);
});

test('values are parts of the body, which is not copied', () => {
  const body = Buffer.from('{"operations":[{"kind":"put","key":"a","value": [1.0, {"a":1,"a":2}] }]}');
  const {operations} = readTransaction(body, LIMITS);
  const [put] = operations;
  const json = put?.kind === 'put' ? (put.value as Uint8Array) : new Uint8Array();
  expect(Buffer.from(json).toString()).toBe('[1.0, {"a":1,"a":2}]');
  expect(json.buffer).toBe(body.buffer);
});
