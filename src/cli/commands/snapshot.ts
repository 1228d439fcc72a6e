import {join} from 'node:path';
import {formatBytes} from '../../domain/byte-size.ts';
import type {ExitCode} from '../../failures/exit-codes.ts';
import {pluginStorageDirOf, snapshotsDirOf} from '../../paths.ts';
import {removeSnapshot} from '../../snapshots/automatic-snapshots.ts';
import {restoreFiles, treeBytes} from '../../snapshots/kept-files.ts';
import {
  assertOwnDirectory,
  listSnapshots,
  makeSnapshotsDirectory,
  type SavedSnapshot,
} from '../../snapshots/snapshot-directory.ts';
import type {CallOf} from '../catalogue/call.ts';
import {invalidUsage, refusedUsage, unconfirmed} from '../failures/usage.ts';
import {readSettings} from '../input/settings.ts';
import {formatCount, formatEntries} from '../output/counts.ts';
import {connect} from '../service/connection.ts';
import {printList} from '../terminal/print-list.ts';
import {canAsk} from '../terminal/prompts.ts';
import {reportDone} from '../terminal/report-done.ts';
import {kindOf, writeExportFile} from '../transfer/export-file.ts';
import {fileSource, readPrefix} from '../transfer/import-source.ts';
import {reportImport} from '../transfer/import-summary.ts';
import {exportTo} from '../transfer/run-export.ts';
import {runImport} from '../transfer/run-import.ts';
import {type SavedEntries, snapshotBefore, type Undo} from '../transfer/snapshot-before.ts';
import {deleteSnapshot, findSnapshot, type KeptFiles, snapshotFile} from '../transfer/snapshot-files.ts';

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
  const found = await findSnapshot(directory, name);
  if (found.kind === 'files') return loadFiles(call, name, found);
  const asked = flags.yes ? undefined : 'Load';
  if (asked !== undefined && !canAsk(context)) throw unconfirmed('snapshot', 'replaces entries');
  const service = await connect(call);
  const {url, fetch} = service;
  const source = await fileSource(found.path, `the snapshot ${JSON.stringify(name)}`);
  let snapshot: Undo | undefined;
  const before = async (): Promise<SavedEntries | undefined> => {
    const prefix = await readPrefix(source);
    const saved = await snapshotBefore(call, {change: 'load', prefix, service, keeping: name});
    snapshot = saved?.snapshot;
    return saved;
  };
  const imported = await runImport({context, url, fetch, source, mode: 'replace', dryRun: false, ask: asked, before});
  return reportImport(imported, call, {infinitive: 'load', past: 'Loaded', snapshot});
}

/** Gives the files of a plugin back; none may be there, since a background could be using them. */
async function loadFiles(call: CallOf<'snapshot'>, name: string, {path, plugin}: KeptFiles): Promise<ExitCode> {
  const {config} = await readSettings(call);
  const storage = join(pluginStorageDirOf(config.dataDir), plugin);
  if ((await treeBytes(storage)) > 0)
    throw refusedUsage(
      'snapshot',
      `the plugin ${plugin} has files in ${JSON.stringify(storage)}`,
      `Remove them first: crewroom plugin remove ${plugin} --data`,
    );
  await restoreFiles(join(path, plugin), storage);
  await removeSnapshot(snapshotsDirOf(config.dataDir), name);
  return reportDone(call, {name, plugin, restored: true}, `Restored the files of ${plugin} in ${storage}`);
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

function tableRow({name, entries, plugin, revision, sizeBytes, savedAt}: SavedSnapshot): readonly string[] {
  const count =
    plugin !== undefined ? `files of ${plugin}` : entries === undefined ? 'incomplete' : formatCount(entries);
  return [name, count, revision, formatBytes(sizeBytes), savedAt.toISOString().replace(/\.\d+Z$/, 'Z')];
}
