import type {Caller} from '../../core/domain/access/access.ts';
import {decodeIfEncoded} from '../../core/domain/percent-encoding.ts';
import {FLIGHT_TRACKING_ID} from '../../core/domain/plugins/flight.ts';
import type {PluginRequest, PluginStatus, ServedPlugins} from '../../core/domain/plugins/plugin.ts';
import {withoutSecrets} from '../../core/domain/redaction.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {forBackground} from '../../core/protocol/headers/bearer-token.ts';
import {writeDocument} from '../../core/protocol/text/times.ts';
import {answer, emptyAnswer, type HttpRequest, JSON_TYPE, jsonAnswer, WINDOW_HEADERS} from '../core/message.ts';
import type {Route, RouteHandler} from '../core/route.ts';
import {shownPath} from '../core/shown-path.ts';
import {answerFile} from '../files/file-answer.ts';
import {forOwnerOrPrograms} from './own-callers.ts';
import {assertNoQueryButRandom, withoutQuery} from './read-parameters.ts';
import type {RoutesDeps} from './routes-deps.ts';

/** Plugin for flight tracking of published clients, as other plugins see it: listed as installed even if it is not. */
export const FLIGHT_TRACKING = {
  id: FLIGHT_TRACKING_ID,
  name: 'Simulated flight',
  version: '1.0.0',
  type: 'user',
  description: 'Stands in for the flight tracking of a client: see "crewroom flight"',
  ui: false,
};

/** `/api/plugins/…`: plugins with their states and logs; `/api/{plugin}/{name}`: their own routes. */
export function pluginRoutes(deps: RoutesDeps): readonly Route[] {
  const {plugins, settings, access, pages} = deps;
  const about = (read: (id: string, caller: Caller) => object | Promise<object>): RouteHandler =>
    withoutQuery(async ({segments: [id = ''], caller}) => {
      await plugins.looked();
      return writeDocument(await read(decodeIfEncoded(id), caller));
    });
  /** Adds warnings about settings, and for the owner the label at which the page proves itself. */
  const describe = async (found: PluginStatus, caller: Caller): Promise<PluginStatus> => {
    const warnings = await settings.problems(found.id);
    const status = warnings.length === 0 ? found : {...found, warnings: [...found.warnings, ...warnings]};
    return pages === undefined || !caller.may('access:change') ? status : {...status, label: pages.labelOf(found)};
  };
  return [
    {
      path: '/api/plugins',
      needs: 'plugins:manage',
      GET: about(async (_, caller) => {
        const all = await Promise.all(plugins.list().map(status => describe(status, caller)));
        return {plugins: all, directory: plugins.directory(), directoryProblem: plugins.directoryProblem()};
      }),
    },
    {path: '/api/plugins/installed', needs: 'client:use', GET: listInstalled(plugins)},
    {
      path: '/api/plugins/{id}',
      needs: 'plugins:manage',
      GET: about((id, caller) => describe(plugins.status(id), caller)),
    },
    {
      path: '/api/plugins/{id}/logs',
      needs: 'plugins:manage',
      GET: about(id => ({lines: plugins.logs(id)})),
    },
    {
      path: '/api/plugins/{id}/restart',
      needs: 'plugins:manage',
      POST: forOwnerOrPrograms(access.owner)(about(async (id, caller) => describe(await plugins.restart(id), caller))),
    },
    {
      path: '/api/{plugin}/{name}',
      needs: ({segments: [id = '']}) => `routes:call:${decodeIfEncoded(id)}`,
      isPlugins: () => true,
      GET: callPlugin('GET', deps),
      POST: callPlugin('POST', deps),
    },
  ];
}

/**
 * Creates the operation that a route of a plugin answers.
 *
 * @param route The route; by default the one that the path names.
 */
export function callPlugin(
  method: PluginRequest['method'],
  {plugins, limits}: Pick<RoutesDeps, 'plugins' | 'limits'>,
  route?: CalledRoute,
): RouteHandler {
  return async ({request, segments}) => {
    const {id, name, url = request.target} = route ?? readRoute(segments);
    const body = method === 'GET' ? NO_BODY : await request.readBody(limits.pluginBodyBytesMax, 'plugin-request');
    const plugin = plugins.find(id);
    if (plugin === undefined) throw noPlugin(id, `${method} ${name}`, request);
    // A background could log a token, or use it: its permissions are those of the program that sent it.
    const rawHeaders = forBackground(request.rawHeaders).map(withoutSecrets);
    // Without the signal of the request, which would be a quarter of the cost of a call: a plugin works on a request that has
    // reached it, also if the client is gone.
    const {status, contentType, body: content} = await plugin.call({method, name, url, rawHeaders, body});
    // RFC 9110 sections 15.3.5 and 15.4.5.
    if (status === 204 || status === 304) return emptyAnswer(status);
    if (content.kind === 'bytes')
      return answer(content.bytes, {
        status,
        contentType: contentType === 'application/json' ? JSON_TYPE : (contentType ?? 'application/octet-stream'),
        rawHeaders: ANSWER_HEADERS,
      });
    const file = await answerFile(request, content.path, {status, rawHeaders: ANSWER_HEADERS});
    if (file !== undefined) return file;
    throw new AppError({
      code: 'plugin-failed',
      plugin: id,
      route: name,
      problem: 'the file that it sends does not exist',
    });
  };
}

/** Route of a plugin. */
export interface CalledRoute {
  readonly id: string;
  readonly name: string;
  /** Path and query with which the plugin is called. @default {the target of the request} */
  readonly url?: string;
}

function readRoute([id = '', name = '']: readonly string[]): CalledRoute {
  return {id: decodeIfEncoded(id), name: decodeIfEncoded(name)};
}

function noPlugin(id: string, route: string, {target}: HttpRequest): AppError {
  // It is not the id of a plugin, but a path that another version of the service may have.
  if (!id.includes('.')) return new AppError({code: 'no-resource', path: shownPath(target).slice(0, 100)});
  const plugin = id.slice(0, 64).toWellFormed();
  return new AppError({code: 'no-plugin-route', plugin, route, problem: 'no plugin has this id'});
}

/** Lists plugins in the form that published plugins read. */
function listInstalled(plugins: ServedPlugins): RouteHandler {
  return async ({query}) => {
    assertNoQueryButRandom(query);
    await plugins.looked();
    const installed = plugins
      .list()
      .filter(({state}) => state !== 'broken')
      .map(({id, name, version, type, description, hasPage}) => ({id, name, version, type, description, ui: hasPage}));
    return jsonAnswer(
      installed.some(({id}) => id === FLIGHT_TRACKING.id) ? installed : [...installed, FLIGHT_TRACKING],
    );
  };
}

const NO_BODY = new Uint8Array();

/**
 * Headers of every answer of a route. Its content is the plugin's, and a page of another origin may put it into a frame by sending a form: without
 * an origin it cannot act as the page of the address, such as the console.
 */
const ANSWER_HEADERS = ['Content-Security-Policy', 'sandbox', ...WINDOW_HEADERS];
