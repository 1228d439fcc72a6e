import type {Entries, Written} from '../../domain/entries/entries.ts';
import type {Expectation} from '../../domain/entries/entry.ts';
import {AppError} from '../../failures/app-error.ts';
import type {ExitCode} from '../../failures/exit-codes.ts';
import type {CallOf} from '../catalogue/call.ts';
import {AdvisedError} from '../failures/report.ts';
import {invalidUsage} from '../failures/usage.ts';
import {readRevision, readTtl} from '../input/flag-values.ts';
import {readValue} from '../input/value-input.ts';
import {connect} from '../service/connection.ts';
import {reportDone} from '../terminal/report-done.ts';

/** `crewroom put`: stores a value under a key. */
export async function run(call: CallOf<'put'>): Promise<ExitCode> {
  const [key = '', argument = ''] = call.arguments;
  const expected = readExpected(call.flags);
  const ttlSeconds = call.flags.ttl === undefined ? undefined : readTtl(call.flags.ttl, 'put');
  const {client} = await connect(call);
  const value = await readValue(argument, call.context);
  const {revision, created} = await putAdvised(client.entries, key, value, {expected, ttlSeconds});
  const line = `${created ? 'Created' : 'Replaced'} at revision ${revision}`;
  return reportDone(call, {key, revision: String(revision), created}, line);
}

function readExpected({ifMatch, ifAbsent}: CallOf<'put'>['flags']): Expectation | undefined {
  if (ifMatch !== undefined && ifAbsent)
    throw invalidUsage('put', 'an entry cannot both have a revision (--if-match) and be absent (--if-absent)');
  return ifAbsent ? 'absent' : readRevision(ifMatch, {command: 'put', flag: '--if-match'});
}

async function putAdvised(entries: Entries, ...[key, value, options]: Parameters<Entries['put']>): Promise<Written> {
  try {
    return await entries.put(key, value, options);
  } catch (error) {
    if (error instanceof AppError && error.failure.code === 'invalid-json' && isUnquoted(value))
      throw new AdvisedError(error, adviseQuotes(value));
    throw error;
  }
}

/** Returns whether a value may be a string without its quotes: it is not an object, array or quoted string. */
function isUnquoted(value: string | Uint8Array): value is string {
  return typeof value === 'string' && !/^\s*[{["]/.test(value);
}

/** Explains a common mistake: the shell removed the quotes of a JSON string. */
function adviseQuotes(value: string): string {
  const isPlain = value.length <= 60 && /^[\x20-\x7e]*$/.test(value) && !value.includes("'");
  return `A string needs its own quotes: crewroom put KEY '${JSON.stringify(isPlain ? value : 'hello')}'`;
}
