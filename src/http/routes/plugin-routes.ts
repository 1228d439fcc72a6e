import {AppError} from '../../domain/app-error.ts';
import type {PluginAnswer, PluginRequest, Plugins} from '../../domain/plugin.ts';
import {formatPlugin, formatPluginLogs, formatPlugins} from '../../protocol/plugin/plugin-documents.ts';
import {answer, emptyAnswer, type HttpAnswer, type HttpRequest, jsonAnswer} from '../core/message.ts';
import {type Call, decodeName, type Operation, type Route} from '../core/route.ts';
import {answerFile} from '../files/file-answer.ts';
import {assertNoQuery} from './no-query.ts';

/** Plugins, and the limit of requests to them. */
export interface PluginRoutesDeps {
  readonly plugins: Plugins;
  readonly pluginBodyBytesMax: number;
}

/** `/api/plugins/…`: plugins with their states and logs; `/api/{plugin}/{name}`: their own routes. */
export function pluginRoutes({plugins, pluginBodyBytesMax}: PluginRoutesDeps): readonly Route[] {
  const about =
    (read: (id: string) => string | Promise<string>): Operation =>
    async ({segments: [id = ''], query}) => {
      assertNoQuery(query);
      return answer(await read(decodeName(id)));
    };
  const call =
    (method: PluginRequest['method']): Operation =>
    given =>
      callPlugin(given, method, plugins, pluginBodyBytesMax);
  return [
    {path: '/api/plugins', operations: {GET: listAll(plugins)}},
    {path: '/api/plugins/installed', operations: {GET: listInstalled(plugins)}},
    {path: '/api/plugins/{id}', operations: {GET: about(id => formatPlugin(plugins.status(id)))}},
    {path: '/api/plugins/{id}/logs', operations: {GET: about(id => formatPluginLogs(plugins.logs(id)))}},
    {
      path: '/api/plugins/{id}/restart',
      operations: {POST: about(async id => formatPlugin(await plugins.restart(id)))},
    },
    {path: '/api/{plugin}/{name}', operations: {GET: call('GET'), POST: call('POST')}},
  ];
}

function listAll(plugins: Plugins): Operation {
  return ({query}) => {
    assertNoQuery(query);
    return answer(formatPlugins({plugins: plugins.list(), directoryProblem: plugins.directoryProblem()}));
  };
}

/** Answers in the form that published plugins read. */
function listInstalled(plugins: Plugins): Operation {
  return ({query}) => {
    assertNoQuery(query);
    const installed = plugins.list().filter(({state}) => state !== 'broken');
    return jsonAnswer(
      installed.map(({id, name, version, type, description, hasPage}) => ({
        id,
        name,
        version,
        type,
        description,
        ui: hasPage,
      })),
    );
  };
}

async function callPlugin(
  {request, segments}: Call,
  method: PluginRequest['method'],
  plugins: Plugins,
  bodyBytesMax: number,
): Promise<HttpAnswer> {
  const [id = '', name = ''] = segments.map(decodeName);
  const body = method === 'GET' ? NO_BODY : await readBody(request, bodyBytesMax);
  const {target: url, rawHeaders} = request;
  // Without the signal of the request, which would be a quarter of the cost of a call: a plugin works on a request that has
  // reached it, also if the client is gone.
  const answered = await plugins.call(id, {method, name, url, rawHeaders, body});
  return toAnswer(request, answered, id, name);
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

async function toAnswer(
  request: HttpRequest,
  {status, contentType, body}: PluginAnswer,
  plugin: string,
  route: string,
): Promise<HttpAnswer> {
  if (body.kind === 'bytes') {
    // Answers without a body (RFC 9110 sections 15.3.5 and 15.4.5).
    if (status === 204 || status === 304) return emptyAnswer(status);
    return answer(body.bytes, {status, contentType: contentType ?? 'application/octet-stream'});
  }
  const answered = await answerFile(request, body.path);
  if (answered === undefined)
    throw new AppError({code: 'plugin-failed', plugin, route, problem: 'the file that it sends does not exist'});
  return answered;
}
