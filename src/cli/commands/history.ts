import {formatBytes} from '../../core/domain/byte-size.ts';
import type {Entries} from '../../core/domain/entries/entries.ts';
import type {HistoryChange, HistoryPage} from '../../core/domain/entries/history.ts';
import {DEFAULT_LIMITS} from '../../core/domain/limits.ts';
import {formatHistoryChange} from '../../core/protocol/history.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {readCount} from '../input/flag-values.ts';
import {formatToSecond} from '../output/counts.ts';
import {safeLine} from '../output/entry-json.ts';
import {connect} from '../service/connection.ts';
import {escapeControls, escapeText} from '../terminal/context.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';
import {formatTable} from '../terminal/table.ts';
import {readValueAt, type WithValue} from '../transfer/earlier-value.ts';

/** Number of changes that are listed without `--limit`. */
const LIMIT = 100;

/** `crewroom history`: prints the earlier values of an entry, newest first, or one of them. */
export async function run(call: CallOf<'history'>): Promise<CommandOutcome> {
  const {limit = String(LIMIT), at} = call.flags;
  const [key = ''] = call.arguments;
  const count = readCount(limit, {command: 'history', flag: '--limit'});
  const revision = at === undefined ? undefined : readCount(at, {command: 'history', flag: '--at'});
  const {entries} = (await connect(call)).client;
  if (revision !== undefined) return describeValue(await readValueAt(entries, key, revision), call);
  const found = await readChanges(entries, key, count);
  return {json: found.changes.map(lineOf).join(''), ...describe(found, call)};
}

/** Returns a value as `crewroom get` does: byte for byte, but not for a terminal, which would obey control characters. */
function describeValue(change: WithValue, {context: {stdout}}: CallOf<'history'>): CommandOutcome {
  const {json} = change;
  return {json: lineOf(change), text: stdout.isTerminal ? `${escapeText(Buffer.from(json).toString())}\n` : json};
}

function lineOf(change: HistoryChange): string {
  return safeLine(formatHistoryChange(change));
}

async function readChanges(entries: Entries, key: string, count: number): Promise<HistoryPage> {
  const changes: HistoryChange[] = [];
  let after: string | undefined;
  do {
    const limit = Math.min(count - changes.length, DEFAULT_LIMITS.listLimitMax);
    const page: HistoryPage = await entries.history(key, {after, limit});
    changes.push(...page.changes);
    after = page.cursor;
  } while (after !== undefined && changes.length < count);
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
