import {formatBytes} from '../../core/domain/byte-size.ts';
import type {Entries} from '../../core/domain/entries/entries.ts';
import type {HistoryChange, HistoryPage} from '../../core/domain/entries/history.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {formatHistoryChange} from '../../core/protocol/history.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {formatToSecond} from '../output/counts.ts';
import {entryLine, safeLine} from '../output/entry-json.ts';
import {connect} from '../service/connection.ts';
import {type CliContext, escapeControls, escapeText} from '../terminal/context.ts';
import {type CommandOutcome, printOutcome} from '../terminal/outcome.ts';
import {formatTable} from '../terminal/table.ts';
import {readValueAt} from '../transfer/earlier-value.ts';

/** `crewroom get`: prints the value of an entry, byte for byte. */
export async function get(call: CallOf<'get'>): Promise<CommandOutcome> {
  const [key = ''] = call.arguments;
  const {client} = await connect(call);
  const entry = await client.entries.get(key);
  if (entry === undefined) throw new AppError({code: 'no-entry', key});
  return {json: entryLine(entry), text: shownValue(entry.json, call.context)};
}

/** Returns a value byte for byte. A terminal would obey control characters, and the prompt of the shell should begin on a new line. */
function shownValue(json: Uint8Array, {stdout}: CliContext): string | Uint8Array {
  return stdout.isTerminal ? `${escapeText(Buffer.from(json).toString())}\n` : json;
}

/** Number of changes that are listed without `--limit`. */
const LIMIT = 100;

/** `crewroom history`: prints the earlier values of an entry, newest first, or one of them. */
export async function history(call: CallOf<'history'>): Promise<CommandOutcome> {
  const {limit = LIMIT, at} = call.flags;
  const [key = ''] = call.arguments;
  const {entries} = (await connect(call)).client;
  if (at !== undefined) {
    const change = await readValueAt(entries, key, at);
    return {json: lineOf(change), text: shownValue(change.json, call.context)};
  }
  const found = await readChanges(entries, key, limit);
  const outcome = {json: found.changes.map(lineOf).join(''), ...describe(found, call)};
  if (found.failed === undefined) return outcome;
  await printOutcome(outcome, call);
  throw found.failed;
}

function lineOf(change: HistoryChange): string {
  return safeLine(formatHistoryChange(change));
}

/** A page of everything that was read, and the failure that ended it. */
type ReadHistory = HistoryPage & {readonly failed?: unknown};

async function readChanges(entries: Entries, key: string, count: number): Promise<ReadHistory> {
  const changes: HistoryChange[] = [];
  let after: string | undefined;
  try {
    do {
      const limit = Math.min(count - changes.length, DEFAULT_LIMITS.listLimitMax);
      const page: HistoryPage = await entries.history(key, {after, limit});
      changes.push(...page.changes);
      after = page.cursor;
    } while (after !== undefined && changes.length < count);
  } catch (failed) {
    if (changes.length === 0) throw failed;
    return {changes, failed};
  }
  return after === undefined ? {changes} : {changes, cursor: after};
}

function describe({changes, cursor}: HistoryPage, {context}: CallOf<'history'>): Pick<CommandOutcome, 'text' | 'note'> {
  const last = changes.at(-1);
  const rows = changes.filter(({kind}) => kind !== 'log-begins').map(tableRow);
  const begin = last?.kind === 'log-begins' ? last.revision : 0;
  const older = begin === 0 ? '' : `The change log begins after revision ${begin}; snapshots may have older values\n`;
  const more = cursor === undefined ? '' : 'There are more: --limit has their maximum number\n';
  if (rows.length === 0) return {note: older || 'There never was an entry with this key\n'};
  return {text: formatTable(['REVISION', 'CHANGE', 'SIZE', 'TIME', 'BY'], rows, context), note: older + more};
}

function tableRow(change: HistoryChange): readonly string[] {
  const {kind, revision, committedAtMs, writtenBy} = {committedAtMs: undefined, writtenBy: undefined, ...change};
  const size = change.kind === 'written' ? formatBytes(change.sizeBytes) : '';
  const time = committedAtMs === undefined ? '' : formatToSecond(committedAtMs);
  return [String(revision), kind, size, time, escapeControls(writtenBy ?? '')];
}
