import {realpath} from 'node:fs/promises';
import {AppError} from '../../domain/app-error.ts';
import type {FollowingService} from '../../plugins/package/service-view.ts';
import type {Call} from '../catalogue/call.ts';
import {connectPlugins} from '../service/plugin-client.ts';

/** The service at the address of a call, for a directory of plugins and one plugin in it. */
export type ServiceState =
  | {readonly kind: 'following'; readonly service: FollowingService}
  | {readonly kind: 'elsewhere'; readonly url: string}
  /** It follows the directory, and runs a plugin in development in place of an installed one. */
  | {readonly kind: 'in-development'}
  | {readonly kind: 'stopped'};

/**
 * Finds out if the service follows a directory of plugins.
 *
 * @throws {AppError} If something else answers.
 */
export async function findFollowingService(call: Call, plugins: string): Promise<ServiceState> {
  const client = await connectPlugins(call);
  const list = await orUndefined(client.list(), 'service-unreachable');
  if (list === undefined) return {kind: 'stopped'};
  const {directory} = list;
  const isSame = directory !== undefined && (await toReal(directory)) === (await toReal(plugins));
  if (!isSame) return {kind: 'elsewhere', url: client.url};
  return {
    kind: 'following',
    service: {status: id => orUndefined(client.status(id), 'no-plugin'), logs: id => client.logs(id)},
  };
}

/** Returns the state of a service for one plugin. */
export async function findStateFor(id: string, state: ServiceState): Promise<ServiceState> {
  const status = state.kind === 'following' ? await state.service.status(id) : undefined;
  return status?.inDevelopment === true ? {kind: 'in-development'} : state;
}

async function orUndefined<T>(answer: Promise<T>, code: 'service-unreachable' | 'no-plugin'): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof AppError && error.failure.code === code) return undefined;
    throw error;
  }
}

/** Returns a path without links; the path itself if nothing is there. */
function toReal(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** Describes why a change was not seen by a service; empty if it was. */
export function describeUnseen(state: ServiceState): string {
  switch (state.kind) {
    case 'following':
      return '';
    case 'elsewhere':
      return `the service at ${state.url} has another directory of plugins`;
    case 'in-development':
      return 'the service runs a plugin in development that has its id';
    case 'stopped':
      return 'no service runs';
  }
}
