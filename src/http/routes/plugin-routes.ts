import type {Caller} from '../../domain/access/access.ts';
import type {Owner} from '../../domain/access/owner.ts';
import {type PageProofs, withoutPageSecrets} from '../../domain/plugins/page-proofs.ts';
import type {PluginAnswer, PluginRequest, PluginStatus, Plugins} from '../../domain/plugins/plugin.ts';
import type {UserSettings} from '../../domain/plugins/user-settings.ts';
import {AppError} from '../../failures/app-error.ts';
import {withoutOwnTokens} from '../../protocol/headers/bearer-token.ts';
import {formatPlugin, formatPluginLogs, formatPlugins} from '../../protocol/plugin/plugin-documents.ts';
import {answer, emptyAnswer, type HttpAnswer, type HttpRequest, jsonAnswer, WINDOW_HEADERS} from '../core/message.ts';
import {decodeName, type Operation, type Route} from '../core/route.ts';
import {answerFile} from '../files/file-answer.ts';
import {assertNoQuery, assertNoQueryButRandom} from './no-query.ts';
import {assertOwner} from './own-callers.ts';

export interface PluginRoutesDeps {
  readonly plugins: Plugins;
  readonly settings: Pick<UserSettings, 'problems'>;
  readonly owner: Owner;
  /** Host names at which pages prove themselves; undefined if none does. */
  readonly pages: PageProofs | undefined;
  readonly callPlugin: PluginCaller;
  /** Plugin that is listed as installed even if it is not. */
  readonly standIn: InstalledPlugin;
}

/** Route of a plugin. */
export interface CalledRoute {
  readonly id: string;
  readonly method: PluginRequest['method'];
  readonly name: string;
  /** Path and query with which the plugin is called. @default {the target of the request} */
  readonly url?: string;
}

/** Calls a route of a plugin for a request. */
export type PluginCaller = (request: HttpRequest, target: CalledRoute) => Promise<HttpAnswer>;

/** `/api/plugins/…`: plugins with their states and logs; `/api/{plugin}/{name}`: their own routes. */
export function pluginRoutes(deps: PluginRoutesDeps): readonly Route[] {
  const {plugins, settings, owner, pages, callPlugin, standIn} = deps;
  const about =
    (read: (id: string, caller: Caller) => string | Promise<string>): Operation =>
    async ({segments: [id = ''], caller, query}) => {
      assertNoQuery(query);
      await plugins.looked();
      return answer(await read(decodeName(id), caller));
    };
  const call =
    (method: PluginRequest['method']): Operation =>
    ({request, segments: [id = '', name = '']}) =>
      callPlugin(request, {id: decodeName(id), method, name: decodeName(name)});
  /** Adds warnings about settings, and for the owner the label at which the page proves itself. */
  const describe = async (found: PluginStatus, caller: Caller): Promise<PluginStatus> => {
    const warnings = await settings.problems(found.id);
    const status = warnings.length === 0 ? found : {...found, warnings: [...found.warnings, ...warnings]};
    return pages === undefined || !caller.may('access:change') ? status : {...status, label: pages.labelOf(found)};
  };
  const restart = about(async (id, caller) => formatPlugin(await describe(await plugins.restart(id), caller)));
  return [
    {path: '/api/plugins', needs: 'plugins:manage', operations: {GET: listAll(plugins, describe)}},
    {path: '/api/plugins/installed', needs: 'client:use', operations: {GET: listInstalled(plugins, standIn)}},
    {
      path: '/api/plugins/{id}',
      needs: 'plugins:manage',
      operations: {GET: about(async (id, caller) => formatPlugin(await describe(plugins.status(id), caller)))},
    },
    {
      path: '/api/plugins/{id}/logs',
      needs: 'plugins:manage',
      operations: {GET: about(id => formatPluginLogs(plugins.logs(id)))},
    },
    {
      path: '/api/plugins/{id}/restart',
      needs: 'plugins:manage',
      operations: {
        POST: call => {
          assertOwner(call.request, owner);
          return restart(call);
        },
      },
    },
    {
      path: '/api/{plugin}/{name}',
      needs: ({segments: [id = '']}) => `routes:call:${decodeName(id)}`,
      operations: {GET: call('GET'), POST: call('POST')},
    },
  ];
}

/** Creates the function that calls routes of plugins. */
export function createPluginCaller(plugins: Plugins, bodyBytesMax: number): PluginCaller {
  return async (request, target) => {
    const {id, method, name, url = request.target} = target;
    const body = method === 'GET' ? NO_BODY : await readBody(request, bodyBytesMax);
    // A background could log a token, or use it: its permissions are those of the program that sent it.
    const rawHeaders = withoutOwnTokens(request.rawHeaders).map(withoutPageSecrets);
    // Without the signal of the request, which would be a quarter of the cost of a call: a plugin works on a request that has
    // reached it, also if the client is gone.
    const answered = await plugins.call(id, {method, name, url, rawHeaders, body});
    const {status, body: content} = answered;
    if (content.kind === 'file') return sendFile(request, {status, path: content.path}, target);
    return sendBytes(content.bytes, answered);
  };
}

function listAll(
  plugins: Plugins,
  describe: (status: PluginStatus, caller: Caller) => Promise<PluginStatus>,
): Operation {
  return async ({caller, query}) => {
    assertNoQuery(query);
    await plugins.looked();
    const all = await Promise.all(plugins.list().map(status => describe(status, caller)));
    const [directory, directoryProblem] = [plugins.directory(), plugins.directoryProblem()];
    return answer(formatPlugins({plugins: all, directory, directoryProblem}));
  };
}

/** Plugin in the form that published plugins read. */
export interface InstalledPlugin {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly type: string;
  readonly description: string;
  readonly ui: boolean;
}

function listInstalled(plugins: Plugins, standIn: InstalledPlugin): Operation {
  return async ({query}) => {
    assertNoQueryButRandom(query);
    await plugins.looked();
    const installed = plugins
      .list()
      .filter(({state}) => state !== 'broken')
      .map(({id, name, version, type, description, hasPage}) => ({id, name, version, type, description, ui: hasPage}));
    return jsonAnswer(installed.some(({id}) => id === standIn.id) ? installed : [...installed, standIn]);
  };
}

const NO_BODY = new Uint8Array();

async function readBody(request: HttpRequest, sizeBytesMax: number): Promise<Uint8Array> {
  try {
    return await request.readBody(sizeBytesMax);
  } catch (error) {
    if (!(error instanceof AppError) || error.failure.code !== 'value-too-large') throw error;
    throw new AppError({...error.failure, code: 'plugin-request-too-large'}, {cause: error});
  }
}

/**
 * Headers of every answer of a route. Its content is the plugin's, and a page of another origin may put it into a frame by sending a form: without
 * an origin it cannot act as the page of the address, such as the console.
 */
const ANSWER_HEADERS = ['Content-Security-Policy', 'sandbox', ...WINDOW_HEADERS];

function sendBytes(bytes: string | Uint8Array, {status, contentType}: PluginAnswer): HttpAnswer {
  if (hasNoBody(status)) return emptyAnswer(status);
  return answer(bytes, {
    status,
    contentType: contentType ?? 'application/octet-stream',
    rawHeaders: ANSWER_HEADERS,
  });
}

/** Returns whether answers with a status have no body (RFC 9110 sections 15.3.5 and 15.4.5). */
function hasNoBody(status: number): status is 204 | 304 {
  return status === 204 || status === 304;
}

async function sendFile(
  request: HttpRequest,
  {status, path}: {readonly status: number; readonly path: string},
  {id: plugin, name: route}: CalledRoute,
): Promise<HttpAnswer> {
  if (hasNoBody(status)) return emptyAnswer(status);
  const answered = await answerFile(request, path, {status, rawHeaders: ANSWER_HEADERS});
  if (answered === undefined)
    throw new AppError({code: 'plugin-failed', plugin, route, problem: 'the file that it sends does not exist'});
  return answered;
}
