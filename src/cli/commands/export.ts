import {formatBytes} from '../../domain/byte-size.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {resolvePath} from '../../paths.ts';
import type {CallOf} from '../catalogue/call.ts';
import {invalidUsage, refusedUsage} from '../failures/usage.ts';
import {formatEntries} from '../output/counts.ts';
import {connect} from '../service/connection.ts';
import type {Output} from '../terminal/context.ts';
import {escapeParts} from '../terminal/escape.ts';
import {reportDone} from '../terminal/report-done.ts';
import {kindOf, writeExportFile} from '../transfer/export-file.ts';
import {exportTo} from '../transfer/run-export.ts';

/** `crewroom export`: writes all entries, or those under a prefix, as of one revision. */
export async function run(call: CallOf<'export'>): Promise<ExitCode> {
  const {context, flags} = call;
  const [name = '-'] = call.arguments;
  const {url, fetch} = await connect(call);
  const {prefix = '', force} = flags;
  if (name === '-') {
    if (flags.json) throw invalidUsage('export', '--json requires a FILE: standard output is for the entries');
    // On a terminal the entries themselves show the progress.
    const label = context.stdout.isTerminal ? undefined : LABEL;
    await exportTo({context, url, fetch, prefix, label}, chunks => writeAll(chunks, context.stdout));
    return EXIT.ok;
  }
  const target = {...context, name, path: resolvePath(name, context)};
  const kind = await kindOf(target);
  if (!force && kind === 'taken')
    throw refusedUsage(
      'export',
      `${JSON.stringify(name)} exists already`,
      'Name another file, or replace it with --force',
    );
  const label = kind === 'device' ? undefined : LABEL;
  const {facts} = await exportTo({context, url, fetch, prefix, label}, chunks => writeExportFile(chunks, target));
  const {entries, revision, sizeBytes} = facts;
  const line = `Exported ${formatEntries(entries)} at revision ${revision} to ${name} (${formatBytes(sizeBytes)})`;
  return reportDone(call, {file: name, entries, revision: String(revision), sizeBytes}, line);
}

const LABEL = 'Exporting';

/** Writes lines of JSON unchanged; on a terminal control characters are escaped, which means the same in JSON. */
async function writeAll(chunks: AsyncIterable<Uint8Array>, output: Output): Promise<void> {
  for await (const chunk of output.isTerminal ? escapeParts(chunks) : chunks) await output.write(chunk);
}
