import {formatBytes} from '../../domain/byte-size.ts';
import type {ExitCode} from '../../failures/exit-codes.ts';
import {snapshotsDirOf} from '../../paths.ts';
import type {CallOf} from '../catalogue/call.ts';
import {invalidUsage, refusedUsage, unconfirmed} from '../failures/usage.ts';
import {readSettings} from '../input/settings.ts';
import {formatCount, formatEntries} from '../output/counts.ts';
import {connect} from '../service/connection.ts';
import {printList} from '../terminal/print-list.ts';
import {canAsk} from '../terminal/prompts.ts';
import {reportDone} from '../terminal/report-done.ts';
import {kindOf, writeExportFile} from '../transfer/export-file.ts';
import {fileSource} from '../transfer/import-source.ts';
import {reportImport} from '../transfer/import-summary.ts';
import {exportTo} from '../transfer/run-export.ts';
import {runImport} from '../transfer/run-import.ts';
import {
  assertOwnDirectory,
  assertSnapshot,
  deleteSnapshot,
  listSnapshots,
  makeSnapshotsDirectory,
  type SavedSnapshot,
  snapshotFile,
} from '../transfer/snapshot-files.ts';

/** `crewroom snapshot`: saves the whole store under a name, and restores it. */
export async function run(call: CallOf<'snapshot'>): Promise<ExitCode> {
  const [action = '', name] = call.arguments;
  const {config} = await readSettings(call);
  const directory = snapshotsDirOf(config.dataDir);
  await assertOwnDirectory(directory, call.context);
  if (action === 'list') {
    if (name !== undefined) throw invalidUsage('snapshot', 'list takes no NAME');
    return list(call, directory);
  }
  if (name === undefined) throw invalidUsage('snapshot', `${action} needs a NAME`);
  switch (action) {
    case 'save':
      return save(call, directory, name);
    case 'load':
      return load(call, directory, name);
    // The parser knows no other action.
    default:
      return remove(call, directory, name);
  }
}

async function save(call: CallOf<'snapshot'>, directory: string, name: string): Promise<ExitCode> {
  const {context, flags} = call;
  const path = snapshotFile(directory, name);
  const {url, fetch} = await connect(call);
  const target = {...context, name: path, path};
  if (!flags.force && (await kindOf(target)) === 'taken')
    throw refusedUsage(
      'snapshot',
      `there is a snapshot ${JSON.stringify(name)} already`,
      'Choose another name, or replace it with --force',
    );
  await makeSnapshotsDirectory(directory);
  const {facts} = await exportTo({context, url, fetch, prefix: '', label: 'Saving'}, chunks =>
    writeExportFile(chunks, target),
  );
  const {entries, revision, sizeBytes} = facts;
  const line = `Saved ${formatEntries(entries)} at revision ${revision} as ${name} (${formatBytes(sizeBytes)})`;
  return reportDone(call, {name, file: path, entries, revision: String(revision), sizeBytes}, line);
}

async function load(call: CallOf<'snapshot'>, directory: string, name: string): Promise<ExitCode> {
  const {context, flags} = call;
  const path = snapshotFile(directory, name);
  await assertSnapshot(path, name);
  const ask = !flags.yes;
  if (ask && !canAsk(context)) throw unconfirmed('snapshot', 'replaces all entries');
  const {url, fetch} = await connect(call);
  const source = await fileSource(path, `the snapshot ${JSON.stringify(name)}`);
  const imported = await runImport({
    context,
    url,
    fetch,
    source,
    mode: 'replace',
    dryRun: false,
    ask: ask ? 'Load' : undefined,
  });
  return reportImport(imported, call, {infinitive: 'load', past: 'Loaded'});
}

async function remove(call: CallOf<'snapshot'>, directory: string, name: string): Promise<ExitCode> {
  await deleteSnapshot(directory, name);
  return reportDone(call, {name, deleted: true}, `Deleted the snapshot ${name}`);
}

async function list(call: CallOf<'snapshot'>, directory: string): Promise<ExitCode> {
  return printList(call, await listSnapshots(directory), {
    head: ['NAME', 'ENTRIES', 'REVISION', 'SIZE', 'SAVED'],
    row: tableRow,
    empty: 'No snapshots; "crewroom snapshot save NAME" saves one',
    next: '"crewroom snapshot load NAME" restores one',
  });
}

function tableRow({name, entries, revision, sizeBytes, savedAt}: SavedSnapshot): readonly string[] {
  const count = entries === undefined ? 'incomplete' : formatCount(entries);
  return [name, count, revision, formatBytes(sizeBytes), savedAt.toISOString().replace(/\.\d+Z$/, 'Z')];
}
