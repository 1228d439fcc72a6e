import {type LogLoss, recoverStore} from '../../doctor/recover-store.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {assertDataDir, resolvePath} from '../../paths.ts';
import type {CallOf} from '../catalogue/call.ts';
import {refusedUsage, unconfirmed} from '../failures/usage.ts';
import {readSettings} from '../input/settings.ts';
import {formatCount, formatEntries} from '../output/counts.ts';
import {escapeText, jsonLine} from '../terminal/escape.ts';
import {createLog} from '../terminal/log.ts';
import {canAsk, confirm} from '../terminal/prompts.ts';
import {type ExportTarget, exportOf, kindOf, writeExportFile} from '../transfer/export-file.ts';

/** `crewroom recover`: opens a store whose write-ahead log is damaged, with everything before the damage. */
export async function run(call: CallOf<'recover'>): Promise<ExitCode> {
  const {context, flags} = call;
  const {stdout, stderr} = context;
  const [name = ''] = call.arguments;
  const {config} = await readSettings(call);
  const target = {...context, name, path: resolvePath(name, context)};
  if ((await kindOf(target)) === 'taken')
    throw refusedUsage('recover', `${JSON.stringify(name)} exists already`, 'Name a new file');
  const {dataDir} = config;
  assertDataDir(dataDir);
  const log = createLog({level: 'error', write: text => void stderr.write(text), nowMs: context.nowMs});
  const onLoss = (loss: LogLoss): Promise<boolean> => agreeAndSave(loss, call, target);
  const recovered = await recoverStore(dataDir, {nowMs: context.nowMs, log, onLoss});
  switch (recovered.kind) {
    case 'declined':
      await stderr.write('Nothing was changed\n');
      return EXIT.failure;
    case 'sound':
      if (flags.json) await stdout.write(jsonLine({recovered: false}));
      else await stderr.write('The write-ahead log is not damaged: "crewroom start" opens the store\n');
      return EXIT.ok;
    case 'recovered': {
      const {loss, revision, storeId} = recovered;
      const {problem, deleted, entries} = loss;
      const file = entries.length > 0 ? name : undefined;
      if (flags.json)
        await stdout.write(
          jsonLine({
            recovered: true,
            problem,
            revision: String(revision),
            storeId,
            file,
            entries: entries.length,
            deleted,
          }),
        );
      else await stderr.write(`The store is at revision ${revision} and has the new id ${storeId}\n`);
      return EXIT.ok;
    }
  }
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
