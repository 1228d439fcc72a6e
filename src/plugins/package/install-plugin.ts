import {readdir} from 'node:fs/promises';
import {basename, join} from 'node:path';
import type {PluginLogLine, PluginManifest, PluginStatus} from '../../core/domain/plugins/plugin.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {makeDirectory, syncTree} from '../../core/files/directory.ts';
import {readFolderState} from '../directory/folder-state.ts';
import {type FoundPlugin, inspectPlugin} from '../directory/found-plugin.ts';
import {INSTALLED_HALVES} from '../directory/plugin-halves.ts';
import {sumSizes} from './package-files.ts';
import {type PluginPackage, unpack} from './plugin-package.ts';
import {
  awaitStart,
  describeServiceFailure,
  type FollowingService,
  type StartOutcome,
  type Waiting,
} from './service-view.ts';
import type {Staging} from './staging.ts';

/** A version that was unpacked and checked, and waits in the staging directory. */
export interface StagedPlugin {
  readonly manifest: PluginManifest;
  /** The folder that it will have. */
  readonly directory: string;
  readonly hasBackground: boolean;
  readonly hasPage: boolean;
  readonly files: number;
  readonly sizeBytes: number;
  /** Installed version that it replaces; empty if that has no valid manifest, undefined if none is installed. */
  readonly replaces: string | undefined;
  /** Its folder in the staging directory. */
  readonly staged: string;
}

/**
 * Unpacks a package into the staging directory, and checks it as the service would.
 *
 * @param plugins Directory of plugins.
 * @throws {AppError} `invalid-package`; `invalid-plugin`.
 */
export async function stagePlugin(
  {manifest, files}: PluginPackage,
  plugins: string,
  {staging, signal}: {readonly staging: Staging; readonly signal: AbortSignal},
): Promise<StagedPlugin> {
  const {id} = manifest;
  const problem = await findTwin(id, plugins);
  if (problem !== undefined)
    throw new AppError({code: 'invalid-plugin', plugin: id, problems: [{path: '$.id', problem}]});
  const staged = join(staging.next, id);
  await unpack(files, staged, signal);
  await syncTree(staged);
  const {problems, hasBackground, hasPage} = await inspectFolder(staged);
  if (problems.length > 0) throw new AppError({code: 'invalid-plugin', plugin: id, problems});
  const directory = join(plugins, id);
  const sizeBytes = sumSizes(files);
  const replaces = await findVersion(directory);
  return {manifest, directory, hasBackground, hasPage, files: files.length, sizeBytes, replaces, staged};
}

/** Describes an installed plugin whose id differs only in case: both would be broken. */
async function findTwin(id: string, plugins: string): Promise<string | undefined> {
  const names = await readdir(plugins).catch((): string[] => []);
  const twin = names.find(name => name !== id && name.toLowerCase() === id.toLowerCase());
  return twin === undefined ? undefined : `differs only in case from ${JSON.stringify(twin)}, which is installed`;
}

async function inspectFolder(directory: string): Promise<FoundPlugin> {
  return inspectPlugin({directory, inDevelopment: false}, await readFolderState(directory, INSTALLED_HALVES));
}

async function findVersion(directory: string): Promise<string | undefined> {
  const names = await readdir(join(directory, '..')).catch((): string[] => []);
  if (!names.includes(basename(directory))) return undefined;
  return (await inspectFolder(directory)).manifest?.version ?? '';
}

export interface InstallDeps {
  readonly staging: Staging;
  /** The service that follows the directory; undefined if none does. */
  readonly service: FollowingService | undefined;
  readonly waiting: Waiting;
  /** The current time, in milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
}

/**
 * Puts a staged version into the directory of plugins:
 *
 * 1. the old version is moved out and the new one in, by two renames;
 * 2. the service sees the new files, ends the old background and starts the new one;
 * 3. if the new one does not start, it is moved out and the old one back in; otherwise the old one is deleted.
 *
 * @returns The state that the service reports; undefined if no service follows the directory.
 * @throws {AppError} `plugin-not-started`.
 */
export async function installPlugin(
  plugin: StagedPlugin,
  deps: InstallDeps,
): Promise<PluginStatus['state'] | undefined> {
  const {staging, service, nowMs} = deps;
  const {directory, staged} = plugin;
  await makeDirectory(join(directory, '..'));
  const fromMs = nowMs();
  await swapIn(plugin, staging);
  if (service === undefined) {
    await staging.confirm();
    return undefined;
  }
  let verdict: StartOutcome;
  try {
    const {stamp} = await inspectFolder(directory);
    verdict = await awaitStart(service, {id: plugin.manifest.id, stamp}, deps.waiting).catch(error => ({
      problem: describeServiceFailure(error),
    }));
  } catch (error) {
    await swapOut(plugin, staging);
    throw error;
  }
  if ('state' in verdict) {
    await staging.confirm();
    return verdict.state;
  }
  const lines = await readLastLines(service, basename(staged), fromMs);
  await swapOut(plugin, staging);
  throw describeProblem(plugin, verdict.problem, lines);
}

async function swapIn({directory, staged, replaces}: StagedPlugin, staging: Staging): Promise<void> {
  if (replaces !== undefined) await staging.keep(directory);
  try {
    await staging.move(staged, directory);
  } catch (error) {
    if (replaces !== undefined) await staging.putBack(directory);
    throw error;
  }
}

async function swapOut({directory, replaces}: StagedPlugin, staging: Staging): Promise<void> {
  await staging.drop(directory);
  if (replaces !== undefined) await staging.putBack(directory);
}

/** Maximum number of log lines in a failure: a stack trace takes a dozen. */
const LINES_MAX = 20;

/** Maximum length of such a line, in UTF-16 units. */
const LINE_LENGTH_MAX = 300;

/** Reads the last lines that the new version logged; none if the service does not answer. */
async function readLastLines(service: FollowingService, id: string, fromMs: number): Promise<readonly string[]> {
  const lines: readonly PluginLogLine[] = await service.logs(id).catch(() => []);
  return lines
    .filter(({loggedAtMs}) => loggedAtMs >= fromMs)
    .slice(-LINES_MAX)
    .map(({text}) => text.slice(0, LINE_LENGTH_MAX).toWellFormed());
}

function describeProblem({manifest, replaces}: StagedPlugin, problem: string, lines: readonly string[]): AppError {
  const {id: plugin, version} = manifest;
  const kept = replaces === undefined ? {} : {kept: replaces};
  return new AppError({code: 'plugin-not-started', plugin, version, problem, ...kept, lines});
}
