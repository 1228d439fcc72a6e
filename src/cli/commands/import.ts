import type {ExitCode} from '../../failures/exit-codes.ts';
import {resolvePath} from '../../paths.ts';
import type {CallOf} from '../catalogue/call.ts';
import {unconfirmed} from '../failures/usage.ts';
import {connect} from '../service/connection.ts';
import {canAsk} from '../terminal/prompts.ts';
import {fileSource, readPrefix, standardInput} from '../transfer/import-source.ts';
import {reportImport} from '../transfer/import-summary.ts';
import {readMode, runImport} from '../transfer/run-import.ts';
import {type SavedEntries, snapshotBefore, type Undo} from '../transfer/snapshot-before.ts';

/** `crewroom import`: stores the entries of an export. */
export async function run(call: CallOf<'import'>): Promise<ExitCode> {
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
  let snapshot: Undo | undefined;
  const before = async (): Promise<SavedEntries | undefined> => {
    if (mode === 'merge') return undefined;
    const saved = await snapshotBefore(call, {change: 'import', prefix: await readPrefix(source), service});
    snapshot = saved?.snapshot;
    return saved;
  };
  const asked = ask ? 'Import' : undefined;
  const imported = await runImport({context, url, fetch, source, mode, dryRun, ask: asked, before});
  return reportImport(imported, call, {infinitive: 'import', past: 'Imported', snapshot});
}
