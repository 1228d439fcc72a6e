import {realpath} from 'node:fs/promises';
import type {PluginStatus} from '../../core/domain/plugins/plugin.ts';
import {isFailure} from '../../core/failures/app-error.ts';
import type {PluginList, ServiceDocument} from '../../core/protocol/service-documents.ts';
import {parseDocument} from '../../core/protocol/text/read-document.ts';
import {documentReader} from '../../core/protocol/text/times.ts';
import type {FollowingService} from '../../plugins/package/service-view.ts';
import type {CommandCall} from '../catalogue/commands.ts';
import {connect, pluginPath, readPluginLog} from '../service/connection.ts';

/** A service that follows a directory of plugins, with the place of its data. */
export interface StoringService extends FollowingService {
  /** Reads its data directory; undefined if its store is in memory, or if the caller must not know it. */
  dataDir(): Promise<string | undefined>;
}

/** State of the service at the address of a call, for a directory of plugins and one plugin in it. */
export type ServiceState =
  | {readonly kind: 'following'; readonly service: StoringService}
  | {readonly kind: 'elsewhere'; readonly url: string}
  /** It follows the directory, and runs a plugin in development in place of an installed one. */
  | {readonly kind: 'in-development'}
  /** A program of another user listens. No request was sent to it. */
  | {readonly kind: 'foreign'; readonly url: string}
  | {readonly kind: 'stopped'};

/**
 * Finds out if the service follows a directory of plugins.
 *
 * @throws {AppError} If another program answers.
 */
export async function findFollowingService(call: CommandCall, plugins: string): Promise<ServiceState> {
  const {send, url} = await connect(call, {ownOnly: true});
  const list = await send('GET', '/api/plugins', documentReader<PluginList>('plugins')).catch(error =>
    stateOfError(error, url),
  );
  if ('kind' in list) return list;
  const {directory} = list;
  if (directory === undefined || !(await isSamePlace(directory, plugins))) return {kind: 'elsewhere', url};
  return {
    kind: 'following',
    service: {
      status: id => orUndefined(send('GET', pluginPath(id), documentReader<PluginStatus>())),
      logs: id => readPluginLog(send, id),
      dataDir: async () => (await send('GET', '/api', parseDocument<ServiceDocument>)).dataDir,
    },
  };
}

/** Returns whether a service shows that it has the files of a plugin: another service may follow the same directory of plugins. */
export async function hasStorage(
  service: StoringService,
  {id, storage, dataDir}: {readonly id: string; readonly storage: string; readonly dataDir: string},
): Promise<boolean> {
  const {storagePath} = (await service.status(id)) ?? {};
  if (storagePath !== undefined) return isSamePlace(storagePath, storage);
  // The plugin was removed before, or has no background any more.
  const shown = await service.dataDir();
  return shown !== undefined && isSamePlace(shown, dataDir);
}

/** Returns the state of a service for one plugin. */
export async function findStateFor(id: string, state: ServiceState): Promise<ServiceState> {
  const status = state.kind === 'following' ? await state.service.status(id) : undefined;
  return status?.inDevelopment === true ? {kind: 'in-development'} : state;
}

/** Returns the state of a service that is not running, or that must not be trusted since it belongs to another user. */
function stateOfError(error: unknown, url: string): ServiceState {
  if (isFailure(error, 'service-unreachable')) return {kind: 'stopped'};
  if (isFailure(error, 'foreign-service')) return {kind: 'foreign', url};
  throw error;
}

/** Returns undefined for an unknown plugin. */
async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isFailure(error, 'no-plugin')) return undefined;
    throw error;
  }
}

async function isSamePlace(one: string, other: string): Promise<boolean> {
  return (await toReal(one)) === (await toReal(other));
}

/** Returns a path without links; the path itself if nothing is there. */
function toReal(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** Describes why no service applies a change of the plugin; empty if one does. */
export function describeUnseen(state: ServiceState): string {
  switch (state.kind) {
    case 'following':
      return '';
    case 'elsewhere':
      return `the service at ${state.url} has another directory of plugins`;
    case 'foreign':
      return `a program of another user answers at ${state.url}`;
    case 'in-development':
      return 'the service runs a plugin in development that has its id';
    case 'stopped':
      return 'no service runs';
  }
}
