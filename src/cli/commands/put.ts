import type {Expectation} from '../../core/domain/entries/entry.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {formatLine} from '../../core/failures/copied-line.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {AdvisedError, invalidUsage} from '../failures/report.ts';
import {readRevision, readTtl} from '../input/flag-values.ts';
import {readValue} from '../input/value-input.ts';
import {connect} from '../service/connection.ts';
import type {CliContext} from '../terminal/context.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';
import {undoLines} from '../transfer/earlier-value.ts';

/** `crewroom put`: stores a value under a key. */
export async function run(call: CallOf<'put'>): Promise<CommandOutcome> {
  const [key = '', argument = ''] = call.arguments;
  const expected = readExpected('put', call.flags);
  const ttlSeconds = call.flags.ttl === undefined ? undefined : readTtl(call.flags.ttl, 'put');
  const {entries} = (await connect(call)).client;
  const value = await readValue(argument, call.context);
  const putting = entries.put(key, value, {expected, ttlSeconds});
  const {revision, etag, created} = await putting.catch(error => adviseOn(error, argument, call.context));
  const line = `${created ? 'Created' : 'Replaced'} at revision ${revision}`;
  const lines = [line, ...(await undoLines(call, {entries, key, revision, what: created ? 'created' : 'stored'}))];
  return {json: {key, revision: String(revision), etag, created}, lines};
}

/** Reads the condition of a command that stores a value. @throws {AppError} `invalid-usage`. */
export function readExpected(
  command: 'put' | 'restore',
  {ifMatch, ifAbsent}: Pick<CallOf<'put'>['flags'], 'ifMatch' | 'ifAbsent'>,
): Expectation | undefined {
  if (ifMatch !== undefined && ifAbsent)
    throw invalidUsage(command, 'an entry cannot both have a revision (--if-match) and be absent (--if-absent)');
  return ifAbsent ? 'absent' : readRevision(ifMatch, {command, flag: '--if-match'});
}

/** @throws The error, with advice if the value may be a string without its quotes: it is not an object, array or quoted string, nor in a file. */
function adviseOn(error: unknown, argument: string, {platform}: CliContext): never {
  const isUnquoted = !/^(?:-$|@|\s*[{["])/.test(argument);
  if (isUnquoted && AppError.is(error) && error.failure?.code === 'invalid-json')
    throw new AdvisedError(error, adviseQuotes(argument, platform));
  throw error;
}

/** Explains a common mistake: the shell removed the quotes of a JSON string. */
function adviseQuotes(value: string, platform: string): string {
  const isShort = value.length <= 60 && /^[\x20-\x7e]*$/.test(value) && !value.includes("'");
  const line =
    formatLine(['crewroom', 'put', 'KEY', JSON.stringify(isShort ? value : 'hello')], platform) ??
    formatLine(['crewroom', 'put', 'KEY', '@FILE'], platform);
  return `A string needs its own quotes: ${line}`;
}
