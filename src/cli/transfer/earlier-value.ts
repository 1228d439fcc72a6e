import {formatBytes} from '../../core/domain/byte-size.ts';
import type {Entries} from '../../core/domain/entries/entries.ts';
import type {HistoryChange, HistoryPage} from '../../core/domain/entries/history.ts';
import type {Revision} from '../../core/domain/entries/identifiers.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {formatLine} from '../../core/failures/copied-line.ts';
import type {SettingsCall} from '../catalogue/commands.ts';
import {AdvisedError} from '../failures/report.ts';
import {addressFlags} from './snapshot-before.ts';

type WithHistory = Pick<Entries, 'history'>;

/** A change whose value the log has. */
export type WithValue = Extract<HistoryChange, {kind: 'written'}> & {readonly json: object};

/**
 * Returns the write that gave an entry the value that it had at a revision.
 *
 * @throws {AdvisedError} `unreadable-input` if it had none then, or the change log does not have it.
 */
export async function readValueAt(entries: WithHistory, key: string, revision: Revision): Promise<WithValue> {
  const change = await readChangeAt(entries, key, revision);
  if (hasValue(change)) return change;
  const source = `the value at revision ${revision}`;
  const failure = new AppError({code: 'unreadable-input', source, problem: describeLack(change), missing: true});
  throw new AdvisedError(failure, '"crewroom history KEY" lists what there is; snapshots may have older values');
}

/** A change of an entry that has been made. */
interface Done {
  readonly entries: WithHistory;
  readonly key: string;
  readonly revision: Revision;
  /** @default {false: something was stored} */
  readonly isDeleted?: boolean;
}

/**
 * Returns lines that tell how to undo a write or a deletion, by a command that is refused once the entry has changed again, or why that cannot be
 * done; none if no person reads them. Never fails: what they are about has been done.
 */
export async function undoLines(call: SettingsCall, done: Done): Promise<readonly string[]> {
  if (!call.context.stderr.isTerminal) return [];
  const {entries, key, revision, isDeleted = false} = done;
  try {
    const change = await readChangeAt(entries, key, revision - 1);
    const isNew = !isDeleted && isAbsence(change);
    if (!isNew && !hasValue(change)) return [`This cannot be undone: ${describeLack(change)}`];
    const command = isNew ? ['delete'] : ['restore', '--at', String(change.revision)];
    const condition = isDeleted ? ['--if-absent'] : ['--if-match', String(revision)];
    const words = [...command, ...condition, ...addressFlags(call)];
    const line = formatLine(['crewroom', ...words, {outside: key}], call.context.platform);
    return [`To undo this: ${line ?? `"crewroom ${command.join(' ')}" with the key and the flags of this command`}`];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [`This cannot be undone: ${error.message}`];
  }
}

/** Finds the last change of an entry up to a revision; where the log begins if it has none. */
async function readChangeAt(entries: WithHistory, key: string, revision: Revision): Promise<HistoryChange> {
  let after: string | undefined = String(revision + 1);
  for (;;) {
    const {changes, cursor}: HistoryPage = await entries.history(key, {after, limit: 1});
    const [change] = changes;
    if (change !== undefined) return change;
    after = cursor;
  }
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
