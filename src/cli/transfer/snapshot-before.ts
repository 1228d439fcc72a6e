import {NO_REVISION, type Revision, type StoreRevision} from '../../core/domain/entries/identifiers.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {formatLine} from '../../core/failures/copied-line.ts';
import type {ServiceDocument} from '../../core/protocol/service-documents.ts';
import {parseDocument} from '../../core/protocol/text/read-document.ts';
import {flagOf} from '../../platform/config/config.ts';
import {resolvePath, snapshotsDirOf} from '../../platform/paths.ts';
import {
  keepBefore,
  type SnapshotPlace,
  saveAutomatic,
  type UndoableChange,
} from '../../service/snapshots/automatic-snapshots.ts';
import type {SettingsCall} from '../catalogue/commands.ts';
import type {Switch} from '../catalogue/spec.ts';
import {AdvisedError} from '../failures/report.ts';
import {readSettings} from '../input/settings.ts';
import type {ConnectedClient} from '../service/connection.ts';
import {escapeControls} from '../terminal/context.ts';
import {exportTo} from './export-file.ts';

/** A command whose change can be undone. */
export interface UndoableCall extends SettingsCall {
  readonly flags: {readonly noSnapshot: Switch; readonly json: Switch};
}

/** The snapshot before a change. */
export interface Undo {
  readonly name: string;
  /** Command line that restores it, for the user's shell; undefined if none passes on the paths of the directories. */
  readonly undo: string | undefined;
}

/** The entries that are saved before a change. */
export interface SavedEntries {
  readonly snapshot: Undo;
  /** The revision that they are of, with its store: later writes are not in the snapshot. */
  readonly revision: StoreRevision;
}

/** A change of the entries of a service. */
export interface EntriesChange {
  readonly change: UndoableChange;
  /** The beginning of the keys that may be changed. */
  readonly prefix: string;
  readonly service: ConnectedClient;
  /** Name of a snapshot that stays whatever its age. */
  readonly keeping?: string | undefined;
}

/**
 * Saves the entries that a command is about to change, and tells how to restore them.
 *
 * @returns Undefined with `--no-snapshot`, and for a service in memory.
 * @throws {AdvisedError} If the snapshot cannot be made: the caller changes nothing then.
 */
export async function snapshotBefore(
  call: UndoableCall,
  {change, prefix, service, keeping}: EntriesChange,
): Promise<SavedEntries | undefined> {
  if (call.flags.noSnapshot) return undefined;
  // Before the export: of a store that takes the place of this one meanwhile, the revision is refused later.
  const {storeKind, storeId} = await service.send('GET', '/api', parseDocument<ServiceDocument>);
  if (storeKind === 'memory') return undefined;
  const {context} = call;
  let revision: Revision = NO_REVISION;
  const snapshot = await made(call, async place => {
    const {result, facts} = await exportTo({context, service, prefix}, chunks =>
      saveAutomatic(`before-${change}`, chunks, {...place, keeping}),
    );
    revision = facts.revision;
    return result;
  });
  return {snapshot, revision: {storeId, revision}};
}

/** Moves the files of a plugin into a snapshot. Otherwise as {@link snapshotBefore}. */
export async function keepFilesBefore(call: UndoableCall, storage: string): Promise<Undo> {
  return made(call, place => keepBefore('remove', storage, place));
}

async function made(call: UndoableCall, make: (place: SnapshotPlace) => Promise<string>): Promise<Undo> {
  const {context, flags} = call;
  const {config} = await readSettings(call);
  const {userId, nowMs, randomName, platform, stderr} = context;
  const name = await make({directory: snapshotsDirOf(config.dataDir), userId, nowMs, randomName}).catch(error => {
    throw adviseOnSnapshot(error);
  });
  const undo = formatLine(['crewroom', 'snapshot', 'load', name, ...addressFlags(call)], platform);
  const words = undo ?? `load the snapshot ${name} with "crewroom snapshot load" and the flags of this command`;
  if (!flags.json) await stderr.write(`To undo this: ${escapeControls(words)}\n`);
  return {name, undo};
}

/** Returns the flags of a call that name the service, its directories and a token. */
export function addressFlags({settings, configFile, context}: SettingsCall): readonly string[] {
  const {host, port, dataDir, tokenFile} = settings;
  const given = {
    host,
    port,
    dataDir: pathOf(dataDir, context),
    tokenFile: pathOf(tokenFile, context),
    config: pathOf(configFile, context),
  };
  return Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [flagOf(name), String(value)]));
}

/** The command that restores a snapshot may be run in another directory. */
function pathOf(given: unknown, context: SettingsCall['context']): string | undefined {
  return typeof given === 'string' ? resolvePath(given, context) : undefined;
}

/** Codes of failures that keep their advice: that of a snapshot is for this case, and without the service the command has nothing to do. */
const ADVISED: ReadonlySet<string> = new Set([
  'snapshot-failed',
  'service-unreachable',
  'foreign-service',
  'invalid-configuration',
]);

function adviseOnSnapshot(error: unknown): unknown {
  if (!(error instanceof AppError) || ADVISED.has(error.code)) return error;
  return new AdvisedError(
    error,
    'Nothing was deleted, since the snapshot to undo it could not be made; --no-snapshot goes on without one',
  );
}
