import {existsSync} from 'node:fs';
import {join} from 'node:path';
import type {Change} from '../../core/domain/commits/store.ts';
import {createEntry, createEntryInfo, type Entry} from '../../core/domain/entries/entry.ts';
import type {Key, Revision} from '../../core/domain/entries/identifiers.ts';
import type {Log} from '../../core/domain/log.ts';
import {assertDataDir, resolvePath} from '../../platform/paths.ts';
import {describeDataDirectory, syncDirectories} from '../../store/disk/data-directory.ts';
import {changesOf} from '../../store/format/change-encoding.ts';
import {openLmdbStore} from '../../store/lmdb-store.ts';
import type {LogDamage} from '../../store/open-directory.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {existing, unconfirmed} from '../failures/report.ts';
import {readSettings} from '../input/settings.ts';
import {formatCount, formatEntries} from '../output/counts.ts';
import {escapeText} from '../terminal/context.ts';
import {createLog} from '../terminal/log.ts';
import {type CommandOutcome, declined} from '../terminal/outcome.ts';
import {canAsk, confirm} from '../terminal/prompts.ts';
import {type ExportTarget, exportOf, isTaken, writeExportFile} from '../transfer/export-file.ts';

/** `crewroom recover`: opens a store whose write-ahead log is damaged, with everything before the damage. */
export async function run(call: CallOf<'recover'>): Promise<CommandOutcome> {
  const {context, flags} = call;
  const {stderr} = context;
  const [name = ''] = call.arguments;
  const {config} = await readSettings(call);
  const target = {...context, name, path: resolvePath(name, context)};
  if (await isTaken(target)) throw existing(JSON.stringify(name), 'Name a new file');
  const {dataDir} = config;
  assertDataDir(dataDir);
  const log = createLog({level: 'error', write: text => void stderr.write(text), nowMs: context.nowMs});
  let found: LogLoss | undefined;
  const onLoss = async (loss: LogLoss): Promise<boolean> => {
    found = loss;
    return !flags.dryRun && agreeAndSave(loss, call, target);
  };
  const recovered = await recoverStore(dataDir, {nowMs: context.nowMs, log, onLoss});
  const json = {dryRun: flags.dryRun === true, recovered: recovered !== undefined};
  if (found === undefined)
    return {json, note: 'The write-ahead log is not damaged: "crewroom start" opens the store\n'};
  const {problem, deleted, entries} = found;
  const file = entries.length > 0 ? target.path : undefined;
  const loss = {...json, problem, file, entries: entries.length, deletedKeys: deleted};
  if (flags.dryRun) return {json: loss, text: escapeText(describe(found, name))};
  if (recovered === undefined) return declined('Nothing was changed');
  const {revision, storeId} = recovered;
  return {
    json: {...loss, revision: String(revision), storeId},
    note: `The store is at revision ${revision} and has the new id ${storeId}\n`,
  };
}

/** Shows what is lost, asks, and saves what can be read of it. @returns False if the user declined. */
async function agreeAndSave(
  loss: LogLoss,
  {context, flags}: CallOf<'recover'>,
  target: ExportTarget,
): Promise<boolean> {
  if (!flags.json || !flags.yes) await context.stderr.write(escapeText(describe(loss, target.name)));
  if (!flags.yes) {
    if (!canAsk(context)) throw unconfirmed('recover', 'gives up a part of the write-ahead log');
    if (!(await confirm('Open the store without what is lost?', context))) return false;
  }
  const {entries, behind} = loss;
  if (behind !== undefined && entries.length > 0) await writeExportFile(exportOf(entries, behind.last), target);
  return true;
}

/** Number of deleted keys that are named: the JSON form has all. */
const NAMED_MAX = 20;

function describe({problem, kept, behind, entries, deleted}: LogLoss, name: string): string {
  const lines = [`Damaged: ${problem}`, `Kept: everything before that, with ${formatCount(kept)} changes of the log`];
  if (behind !== undefined)
    lines.push(`Behind it: the commits ${behind.first} to ${behind.last} can be read, and are given up`);
  if (entries.length > 0)
    lines.push(
      `To ${JSON.stringify(name)}: the ${formatEntries(entries.length)} that they wrote, for "crewroom import"`,
    );
  if (deleted.length > 0) {
    const more = deleted.length > NAMED_MAX ? ', …' : '';
    const named = deleted.slice(0, NAMED_MAX).map(key => JSON.stringify(key));
    lines.push(`Deleted by them, and perhaps back: ${named.join(', ')}${more}`);
  }
  return `${lines.join('\n')}\n`;
}

/** The commits that a store loses whose write-ahead log is damaged, as far as they can be read. */
interface LogLoss {
  readonly problem: string;
  /** Number of changes in the log that the store keeps. */
  readonly kept: number;
  /** Commits behind the damage, which can be read and are not kept; undefined if there are none. */
  readonly behind: {readonly first: Revision; readonly last: Revision} | undefined;
  /** The entries that these commits wrote, as the last of them left them, in the order of their keys. */
  readonly entries: readonly Entry[];
  /** The keys that they deleted in the end. */
  readonly deleted: readonly Key[];
}

interface RecoverOptions {
  readonly nowMs: () => number;
  /** Reports what the opening finds, such as a missing log. */
  readonly log: Log;
  /** Called before anything is changed, to save what is not kept. @returns False to change nothing. */
  readonly onLoss: (loss: LogLoss) => Promise<boolean>;
}

/**
 * Makes a store usable whose write-ahead log is damaged: it keeps every commit before the damage, gets a new id, and its log is given up.
 *
 * @returns Its new id and its revision; undefined if the log is not damaged, or if `onLoss` returned false.
 * @throws {AppError} `data-directory-in-use`, `data-directory-unusable`, `data-format-unsupported`; `store-corrupt` if something else is
 * damaged; the error of `onLoss`, and then nothing was changed.
 */
async function recoverStore(dataDir: string, {nowMs, log, onLoss}: RecoverOptions) {
  // Otherwise it would be created.
  if (!existsSync(join(dataDir, 'format.json'))) return undefined;
  const deps = {directory: dataDir, nowMs, log, keepsFormat: true};
  let isDamaged = false;
  const onLogDamage = async (damage: LogDamage): Promise<void> => {
    isDamaged = true;
    if (!(await onLoss(describeLoss(damage)))) throw DECLINED;
  };
  try {
    const store = await openLmdbStore({...deps, onLogDamage});
    const {id: storeId, revision} = store;
    await store[Symbol.asyncDispose]();
    if (!isDamaged) return undefined;
    // It closes also if its tree could not be written; then the log is still there, and so is the damage.
    await (await openLmdbStore(deps))[Symbol.asyncDispose]();
    // The log must not come back after a loss of power: its commits follow others that are missing.
    await syncDirectories(describeDataDirectory(dataDir));
    return {storeId, revision};
  } catch (error) {
    if (error === DECLINED) return undefined;
    throw error;
  }
}

const DECLINED = new Error('The user declined');

function describeLoss({problem, kept, behind}: LogDamage): LogLoss {
  const last = new Map<Key, {readonly change: Change; readonly updatedAtMs: number}>();
  for (const {changes, updatedAtMs} of behind)
    for (const change of changesOf(changes)) last.set(change.key, {change, updatedAtMs});
  const sorted = [...last.values()].sort((a, b) =>
    Buffer.compare(Buffer.from(a.change.key), Buffer.from(b.change.key)),
  );
  const [first, end] = [behind[0], behind.at(-1)];
  return {
    problem,
    kept: kept.reduce((sum, {changes}) => sum + changes.length, 0),
    behind: first && end && {first: first.first, last: end.last},
    entries: sorted.flatMap(({change, updatedAtMs}) => {
      if (change.kind !== 'put' || change.json === undefined) return [];
      return [createEntry(createEntryInfo({...change, updatedAtMs}), change.json)];
    }),
    deleted: sorted.flatMap(({change}) => (change.kind === 'put' ? [] : [change.key])),
  };
}
