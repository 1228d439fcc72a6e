import {resolvePath} from '../../platform/paths.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {unconfirmed} from '../failures/report.ts';
import {connect} from '../service/connection.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';
import {canAsk} from '../terminal/prompts.ts';
import {fileSource, readPrefix, standardInput} from '../transfer/import-source.ts';
import {readMode, runImport} from '../transfer/run-import.ts';
import {type SavedEntries, snapshotBefore} from '../transfer/snapshot-before.ts';

/** `crewroom import`: stores the entries of an export. */
export async function run(call: CallOf<'import'>): Promise<CommandOutcome> {
  const {context, flags} = call;
  const [name = ''] = call.arguments;
  const mode = readMode(flags.mode, 'import');
  const dryRun = flags.dryRun === true;
  const ask = mode === 'replace' && !dryRun && !flags.yes;
  if (ask && !canAsk(context)) throw unconfirmed('import', 'replaces entries');
  const service = await connect(call);
  const {url, fetch} = service;
  const path = resolvePath(name, context);
  const source = name === '-' ? standardInput(context) : await fileSource(path, JSON.stringify(name));
  const before = async (): Promise<SavedEntries | undefined> =>
    mode === 'merge' ? undefined : snapshotBefore(call, {change: 'import', prefix: await readPrefix(source), service});
  const verb = {infinitive: 'import', past: 'Imported'};
  return runImport({context, url, fetch, source, mode, dryRun, verb, ask, before});
}
