import {assertDataDir, resolvePath} from '../../platform/paths.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {type LogLoss, recoverStore} from '../doctor/recover-store.ts';
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
