import type {Entries, Written} from '../../core/domain/entries/entries.ts';
import type {Expectation} from '../../core/domain/entries/entry.ts';
import {isFailure} from '../../core/failures/app-error.ts';
import {formatLine} from '../../core/failures/copied-line.ts';
import type {CallOf, SettingsCall} from '../catalogue/commands.ts';
import {formatSeconds} from '../catalogue/value-forms.ts';
import {AdvisedError, invalidUsage} from '../failures/report.ts';
import {readValue} from '../input/value-input.ts';
import {connect} from '../service/connection.ts';
import type {CliContext} from '../terminal/context.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';
import {readValueAt, undoLines} from '../transfer/earlier-value.ts';

/** `crewroom put`: stores a value under a key. */
export async function put(call: CallOf<'put'>): Promise<CommandOutcome> {
  const [key = '', argument = ''] = call.arguments;
  const expected = readExpected('put', call.flags);
  const {entries} = (await connect(call)).client;
  const value = await readValue(argument, call.context);
  const putting = entries.put(key, value, {expected, ttlSeconds: call.flags.ttl});
  const written = await putting.catch(error => adviseOn(error, argument, call.context));
  return describeWritten(call, {entries, key, written});
}

/** `crewroom patch`: merges a patch into a value. */
export async function patch(call: CallOf<'patch'>): Promise<CommandOutcome> {
  const [key = '', argument = ''] = call.arguments;
  const {entries} = (await connect(call)).client;
  const written = await entries.patch(key, await readValue(argument, call.context), {expected: call.flags.ifMatch});
  return describeWritten(call, {entries, key, written, verb: 'Patched'});
}

/** `crewroom restore`: stores a value that an entry had, if the entry does not change meanwhile. */
export async function restore(call: CallOf<'restore'>): Promise<CommandOutcome> {
  const {at, ttl: ttlSeconds} = call.flags;
  const [key = ''] = call.arguments;
  if (at === undefined) throw invalidUsage('restore', 'it needs --at REVISION; "crewroom history KEY" lists them');
  const given = readExpected('restore', call.flags);
  const {entries} = (await connect(call)).client;
  const expected = given ?? (await readPresent(entries, key));
  const {json} = await readValueAt(entries, key, at);
  const written = await entries.put(key, json, {expected, ttlSeconds});
  return describeWritten(call, {entries, key, written, verb: 'Restored'});
}

/** `crewroom touch`: changes when an entry expires, and keeps its value. */
export async function touch(call: CallOf<'touch'>): Promise<CommandOutcome> {
  const [key = ''] = call.arguments;
  const {ttl, forever, ifMatch: expected} = call.flags;
  if ((ttl === undefined) === (forever === undefined))
    throw invalidUsage('touch', 'it needs either --ttl TIME or --forever');
  const {client} = await connect(call);
  const {revision, etag} = await client.entries.transact({
    checks: expected === undefined ? [] : [{key, expected}],
    operations: [{kind: 'touch', key, ttlSeconds: ttl ?? null}],
  });
  const life = ttl === undefined ? 'it does not expire' : `it expires in ${formatSeconds(ttl)}`;
  return {json: {key, revision: String(revision), etag}, lines: [`Touched at revision ${revision}: ${life}`]};
}

/** A value that was written. */
interface WrittenValue {
  readonly entries: Entries;
  readonly key: string;
  readonly written: Pick<Written, 'revision' | 'etag'> & Partial<Pick<Written, 'created'>>;
  /** @default {`Created` or `Replaced`} */
  readonly verb?: string;
}

/** Returns the outcome of a write: on a terminal with the command that undoes it. */
export async function describeWritten(
  call: SettingsCall,
  {entries, key, written, verb = written.created ? 'Created' : 'Replaced'}: WrittenValue,
): Promise<CommandOutcome> {
  const {revision, etag, created} = written;
  const undo = await undoLines(call, {entries, key, ...written});
  return {json: {key, revision: String(revision), etag, created}, lines: [`${verb} at revision ${revision}`, ...undo]};
}

/** Reads the condition of a command that stores a value. @throws {AppError} `invalid-usage`. */
function readExpected(
  command: 'put' | 'restore',
  {ifMatch, ifAbsent}: Pick<CallOf<'put'>['flags'], 'ifMatch' | 'ifAbsent'>,
): Expectation | undefined {
  if (ifMatch !== undefined && ifAbsent)
    throw invalidUsage(command, 'an entry cannot both have a revision (--if-match) and be absent (--if-absent)');
  return ifAbsent ? 'absent' : ifMatch;
}

/** Reads no value: a corrupt entry can be restored. */
async function readPresent(entries: Entries, key: string): Promise<Expectation | undefined> {
  try {
    const [found] = (await entries.list({prefix: key, limit: 1})).entries;
    return found?.key === key ? found.revision : 'absent';
  } catch (error) {
    // In etcd its revision is damaged, too.
    if (isFailure(error, 'entry-corrupt')) return error.failure.key === key ? undefined : 'absent';
    throw error;
  }
}

/** @throws The error, with advice if the value may be a string without its quotes: it is not an object, array or quoted string, nor in a file. */
function adviseOn(error: unknown, argument: string, {platform}: CliContext): never {
  const isUnquoted = !/^(?:-$|@|\s*[{["])/.test(argument);
  if (isUnquoted && isFailure(error, 'invalid-json')) throw new AdvisedError(error, adviseQuotes(argument, platform));
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
