import {resolve} from 'node:path';
import type {Call} from '../command.ts';
import {connect} from '../connection.ts';
import type {ExitCode} from '../failures/exit-codes.ts';
import type {Switch} from '../parser/catalogue.ts';
import {invalidUsage} from '../parser/usage.ts';
import {canAsk} from '../terminal/prompt.ts';
import {fileSource, standardInput} from '../transfer/import-source.ts';
import {readMode, runImport} from '../transfer/run-import.ts';
import {tellImported} from '../transfer/tell-imported.ts';

/** The flags of `crewroom import`. */
export interface ImportFlags {
  readonly mode: string | undefined;
  readonly dryRun: Switch;
  readonly yes: Switch;
  readonly json: Switch;
}

/** `crewroom import`: stores the entries of an export. */
export async function run(call: Call<ImportFlags>): Promise<ExitCode> {
  const {context, flags} = call;
  const [name = ''] = call.arguments;
  const mode = readMode(flags.mode, 'import');
  const dryRun = flags.dryRun === true;
  const ask = mode === 'replace' && !dryRun && !flags.yes;
  if (ask && !canAsk(context))
    throw invalidUsage('import', 'nobody is there to confirm that entries are replaced; --yes does');
  const {url} = await connect(call);
  const path = resolve(context.workingDirectory, name);
  const source = name === '-' ? standardInput(context) : await fileSource(path, JSON.stringify(name));
  const imported = await runImport({context, url, source, mode, dryRun, ask: ask ? 'Import' : undefined});
  return tellImported(imported, call, {infinitive: 'import', past: 'Imported'});
}
