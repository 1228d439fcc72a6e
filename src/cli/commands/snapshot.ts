import {stat} from 'node:fs/promises';
import {join} from 'node:path';
import {formatBytes} from '../../core/domain/byte-size.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {formatLine} from '../../core/failures/copied-line.ts';
import {syncDirectory} from '../../core/files/directory.ts';
import {pluginStorageDirOf, snapshotsDirOf} from '../../platform/paths.ts';
import {removeSnapshot} from '../../service/snapshots/automatic-snapshots.ts';
import {
  assertOwnDirectory,
  entriesFileOf,
  isSnapshotName,
  keptFilesOf,
  listSnapshots,
  makeSnapshotsDirectory,
  readKeptPlugin,
  restoreFiles,
  type SavedSnapshot,
  treeBytes,
} from '../../service/snapshots/snapshot-directory.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {AdvisedError, existing, invalidUsage} from '../failures/report.ts';
import {readSettings} from '../input/settings.ts';
import {formatCount, formatEntries, formatToSecond} from '../output/counts.ts';
import {connect} from '../service/connection.ts';
import {type CommandOutcome, listed, removed} from '../terminal/outcome.ts';
import {exportTo, isTaken, writeExportFile} from '../transfer/export-file.ts';
import {fileSource} from '../transfer/import-source.ts';
import {runImport} from '../transfer/run-import.ts';

/** `crewroom snapshot`: saves the whole store under a name, and restores it. */
export async function run(call: CallOf<'snapshot'>): Promise<CommandOutcome> {
  const [action, name = ''] = call.arguments;
  const {config} = await readSettings(call);
  const directory = snapshotsDirOf(config.dataDir);
  await assertOwnDirectory(directory, call.context);
  if (action === 'list') return list(call, directory);
  if (action === 'save') return save(call, directory, name);
  return action === 'load' ? load(call, directory, name) : remove(call, directory, name);
}

async function save(call: CallOf<'snapshot'>, directory: string, name: string): Promise<CommandOutcome> {
  const {context, flags} = call;
  const path = snapshotFile(directory, name);
  const service = await connect(call);
  const target = {...context, name: path, path};
  if ((await isTaken(target)) && !flags.force)
    throw existing(`the snapshot ${JSON.stringify(name)}`, 'Choose another name, or replace it with --force');
  await makeSnapshotsDirectory(directory);
  const {facts} = await exportTo({context, service, prefix: '', label: 'Saving'}, chunks =>
    writeExportFile(chunks, target),
  );
  const {entries, revision, sizeBytes} = facts;
  const line = `Saved ${formatEntries(entries)} at revision ${revision} as ${name} (${formatBytes(sizeBytes)})`;
  return {json: {name, file: path, entries, revision: String(revision), sizeBytes}, lines: [line]};
}

async function load(call: CallOf<'snapshot'>, directory: string, name: string): Promise<CommandOutcome> {
  const {path, plugin} = await findSnapshot(directory, name);
  if (plugin !== undefined) return loadFiles(call, name, {path, plugin});
  const open = () => fileSource(path, `the snapshot ${JSON.stringify(name)}`);
  return runImport(call, {change: 'load', mode: 'replace', open, keeping: name});
}

/** Gives the files of a plugin back; none may be there, since a background could be using them. */
async function loadFiles(
  call: CallOf<'snapshot'>,
  name: string,
  {path, plugin}: Required<FoundSnapshot>,
): Promise<CommandOutcome> {
  const {config} = await readSettings(call);
  const storage = join(pluginStorageDirOf(config.dataDir), plugin);
  const removal = formatLine(['crewroom', 'plugin', 'remove', {outside: plugin}, '--data'], 'any');
  if ((await treeBytes(storage)) > 0)
    throw existing(
      JSON.stringify(storage),
      `Remove them first: ${removal ?? 'crewroom plugin remove ID --data'}`,
      `the plugin ${plugin} has files there`,
    );
  if (!call.flags.dryRun) {
    await restoreFiles(join(path, plugin), storage);
    await removeSnapshot(snapshotsDirOf(config.dataDir), name);
  }
  const what = `the files of ${plugin} in ${storage}`;
  return removed(call.flags, {verbs: ['Restored', 'restore'], what, json: {name, plugin, restored: true}});
}

async function remove(call: CallOf<'snapshot'>, directory: string, name: string): Promise<CommandOutcome> {
  if (call.flags.dryRun) await findSnapshot(directory, name);
  else await deleteSnapshot(directory, name);
  return removed(call.flags, {
    verbs: ['Deleted', 'delete'],
    what: `the snapshot ${name}`,
    json: {deletedSnapshot: name},
  });
}

async function list(call: CallOf<'snapshot'>, directory: string): Promise<CommandOutcome> {
  return listed(call.context, await listSnapshots(directory), {
    head: ['NAME', 'ENTRIES', 'REVISION', 'SIZE', 'SAVED'],
    row: tableRow,
    empty: 'No snapshots; "crewroom snapshot save NAME" saves one',
    next: '"crewroom snapshot load NAME" restores one',
  });
}

function tableRow({name, entries, plugin, revision, sizeBytes, savedAt}: SavedSnapshot): readonly string[] {
  const count =
    plugin !== undefined ? `files of ${plugin}` : entries === undefined ? 'incomplete' : formatCount(entries);
  return [name, count, revision, formatBytes(sizeBytes), formatToSecond(savedAt.getTime())];
}

/** A snapshot that exists: a file with entries, or a directory with the files of a plugin, in one of its name. */
interface FoundSnapshot {
  readonly path: string;
  /** The plugin whose files they are; absent for entries. */
  readonly plugin?: string;
}

/**
 * Returns the path of a snapshot of entries.
 *
 * @throws {AppError} `invalid-usage` for an invalid name.
 */
function snapshotFile(directory: string, name: string): string {
  if (!isSnapshotName(name))
    throw invalidUsage(
      'snapshot',
      `${JSON.stringify(name)} is not a valid name: use up to 64 letters, digits, ".", "_" and "-", beginning with a letter or digit, no dot at the end, and no device of Windows`,
    );
  return entriesFileOf(directory, name);
}

/**
 * Deletes a snapshot, durably.
 *
 * @throws {AdvisedError} `unreadable-input` if there is no snapshot of this name.
 */
async function deleteSnapshot(directory: string, name: string): Promise<void> {
  await findSnapshot(directory, name);
  await removeSnapshot(directory, name);
  await syncDirectory(directory);
}

/** Finds a snapshot. @throws {AdvisedError} `unreadable-input` if there is none of this name. */
async function findSnapshot(directory: string, name: string): Promise<FoundSnapshot> {
  const path = snapshotFile(directory, name);
  if ((await stat(path).catch(() => undefined))?.isFile()) return {path};
  const kept = keptFilesOf(directory, name);
  const plugin = await readKeptPlugin(kept);
  if (plugin !== undefined) return {path: kept, plugin};
  throw new AdvisedError(
    new AppError({
      code: 'unreadable-input',
      source: `the snapshot ${JSON.stringify(name)}`,
      problem: 'it does not exist',
      missing: true,
    }),
    '"crewroom snapshot list" shows all snapshots',
  );
}
