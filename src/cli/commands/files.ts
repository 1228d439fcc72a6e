import {formatBytes} from '../../core/domain/byte-size.ts';
import type {ImportMode} from '../../core/domain/commits/transfer.ts';
import {resolvePath} from '../../platform/paths.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {existing} from '../failures/report.ts';
import {formatEntries} from '../output/counts.ts';
import {connect} from '../service/connection.ts';
import {escapeParts, type Output} from '../terminal/context.ts';
import {type CommandOutcome, made} from '../terminal/outcome.ts';
import {exportTo, isTaken, writeExportFile} from '../transfer/export-file.ts';
import {fileSource, standardInput} from '../transfer/import-source.ts';
import {runImport} from '../transfer/run-import.ts';

/** `crewroom export`: writes all entries, or those under a prefix, as of one revision. */
export async function exportEntries(call: CallOf<'export'>): Promise<CommandOutcome> {
  const {context, flags} = call;
  const [name = '-'] = call.arguments;
  const service = await connect(call);
  const {prefix = '', force} = flags;
  if (name === '-') {
    // They are lines of JSON in any case. On a terminal the entries themselves show the progress.
    const label = context.stdout.isTerminal ? undefined : LABEL;
    await exportTo({context, service, prefix, label}, chunks => writeAll(chunks, context.stdout));
    return {json: ''};
  }
  const target = {...context, name, path: resolvePath(name, context)};
  const taken = await isTaken(target);
  if (taken && !force) throw existing(JSON.stringify(name), 'Name another file, or replace it with --force');
  const {facts} = await exportTo({context, service, prefix, label: LABEL}, chunks => writeExportFile(chunks, target));
  const {entries, revision, sizeBytes} = facts;
  const line = `Exported ${formatEntries(entries)} at revision ${revision} to ${name} (${formatBytes(sizeBytes)})`;
  return made({file: target.path, entries, revision: String(revision), sizeBytes}, [line]);
}

const LABEL = 'Exporting';

/** Writes lines of JSON unchanged; on a terminal control characters are escaped, which means the same in JSON. */
async function writeAll(chunks: AsyncIterable<Uint8Array>, output: Output): Promise<void> {
  for await (const chunk of output.isTerminal ? escapeParts(chunks) : chunks) await output.write(chunk);
}

/** `crewroom import`: stores the entries of an export. */
export async function importEntries(call: CallOf<'import'>): Promise<CommandOutcome> {
  const {context, flags} = call;
  const [name = ''] = call.arguments;
  // The parser has checked it.
  const mode = (flags.mode ?? 'merge') as ImportMode;
  const open = async () =>
    name === '-' ? standardInput(context) : fileSource(resolvePath(name, context), JSON.stringify(name));
  return runImport(call, {change: 'import', mode, open});
}
