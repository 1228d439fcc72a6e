import {formatBytes} from '../../core/domain/byte-size.ts';
import type {Entries, Written} from '../../core/domain/entries/entries.ts';
import type {HistoryChange, HistoryPage} from '../../core/domain/entries/history.ts';
import {formatRevision, type GivenRevision, type Revision} from '../../core/domain/entries/identifiers.ts';
import {AppError, isFailure} from '../../core/failures/app-error.ts';
import {formatLine} from '../../core/failures/copied-line.ts';
import type {SettingsCall} from '../catalogue/commands.ts';
import {AdvisedError} from '../failures/report.ts';
import type {CliContext} from '../terminal/context.ts';
import {addressFlags} from './snapshot-before.ts';

type WithHistory = Pick<Entries, 'history'>;

/** A change whose value the log has. */
export type WithValue = Extract<HistoryChange, {kind: 'written'}> & {readonly json: object};

/**
 * Returns the write that gave an entry the value that it had at a revision.
 *
 * @throws {AdvisedError} `unreadable-input` if it had none then, the change log does not have it, or the revision is of another store or none yet.
 */
export async function readValueAt(entries: WithHistory, key: string, at: GivenRevision): Promise<WithValue> {
  const change = await readChangeAt(entries, key, at).catch(problemOf);
  if (typeof change === 'object' && hasValue(change)) return change;
  const problem = typeof change === 'string' ? change : describeLack(change);
  const source = `the value at revision ${typeof at === 'number' ? at : at.revision}`;
  const failure = new AppError({code: 'unreadable-input', source, problem, missing: true});
  throw new AdvisedError(failure, '"crewroom history KEY" lists what there is; snapshots may have older values');
}

/** A change of an entry that has been made; a deletion has no ETag. */
interface Done extends Partial<Written> {
  readonly revision: Revision;
  readonly entries: WithHistory;
  readonly key: string;
}

/**
 * Returns a line that tells how to undo a change, by a command that is refused once the entry has changed again, and by another store, or why that cannot
 * be done; none if no person reads it. Never fails: what it is about has been done.
 */
export async function undoLines(call: SettingsCall, done: Done): Promise<readonly string[]> {
  const {stderr, platform} = call.context;
  if (!stderr.isTerminal) return [];
  const undo = await findUndo(call, done).catch(error => {
    if (!(error instanceof AppError)) throw error;
    return error.message;
  });
  if (typeof undo === 'string') return [`This cannot be undone: ${undo}`];
  const line = formatLine(['crewroom', ...undo, ...addressFlags(call), {outside: done.key}], platform);
  const note = `"crewroom ${undo.join(' ')}" with the key and the flags of this command, which a copied line may change`;
  return [`To undo this: ${line ?? note}`];
}

/** Returns the command that undoes a change, or why there is none. */
async function findUndo(
  {context}: SettingsCall,
  {entries, key, revision, etag, created}: Done,
): Promise<readonly string[] | string> {
  const condition = etag === undefined ? ['--if-absent'] : ['--if-match', etag.slice(1, -1)];
  if (created) return ['delete', ...condition];
  // One page: users do not wait for a search through the whole log.
  const [change] = (await entries.history(key, {after: String(revision), limit: 1})).changes;
  if (change === undefined) return 'the earlier value is far back in the log, where "crewroom history" finds it';
  if (!hasValue(change))
    return etag !== undefined && isAbsence(change) ? ['delete', ...condition] : describeLack(change);
  const ttlSeconds = remainingSeconds(change, context);
  const at = change.etag.slice(1, -1);
  return ['restore', '--at', at, ...(ttlSeconds ? ['--ttl', `${ttlSeconds}s`] : []), ...condition];
}

/** Returns the rest of a time to live, rounded up; undefined for none. A write without one would make the entry last for ever. */
export function remainingSeconds(
  entry: {readonly expiresAtMs?: number | undefined} | undefined,
  {nowMs}: Pick<CliContext, 'nowMs'>,
): number | undefined {
  if (entry?.expiresAtMs === undefined) return undefined;
  // What has expired meanwhile is absent, which a condition notices.
  return Math.max(1, Math.ceil((entry.expiresAtMs - nowMs()) / 1000));
}

/** Finds the last change of an entry up to a revision; where the log begins if it has none. */
async function readChangeAt(entries: WithHistory, key: string, at: GivenRevision): Promise<HistoryChange> {
  let after: string | undefined =
    typeof at === 'number' ? String(at + 1) : formatRevision({...at, revision: at.revision + 1});
  for (;;) {
    const {changes, cursor}: HistoryPage = await entries.history(key, {after, limit: 1});
    const [change] = changes;
    if (change !== undefined) return change;
    after = cursor;
  }
}

/** Returns the reason why the service has no history before a revision. @throws Any other error. */
function problemOf(error: unknown): string {
  if (isFailure(error, 'invalid-parameter')) return error.failure.problem;
  throw error;
}

function hasValue(change: HistoryChange): change is WithValue {
  return change.kind === 'written' && change.json !== undefined;
}

function isAbsence(change: HistoryChange): boolean {
  return change.kind === 'log-begins' ? change.revision === 0 : change.kind !== 'written';
}

function describeLack(change: HistoryChange): string {
  if (isAbsence(change)) return 'there was no entry';
  if (change.kind === 'written') return `with ${formatBytes(change.sizeBytes)} it was too large for the change log`;
  return `the change log begins after revision ${change.revision}`;
}
