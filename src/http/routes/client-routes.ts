import type {Announcer, ClientRequested} from '../../domain/commits/event.ts';
import type {Plugins} from '../../domain/plugins/plugin.ts';
import {pluginOf} from '../../protocol/headers/sender.ts';
import {
  CLIENT_REQUEST_BYTES_MAX,
  readLogRequest,
  readNavigation,
  readSound,
} from '../../protocol/plugin/client-request.ts';
import {answer, type HttpRequest} from '../core/message.ts';
import type {Call, Route, RouteHandler} from '../core/route.ts';
import {isBelowConsole} from '../core/sites.ts';
import {assertNoQueryButRandom, withBody} from './no-query.ts';
import {hostOf, portOf, replacePublishedAddress} from './published-address.ts';

export interface ClientRoutesDeps {
  readonly plugins: Pick<Plugins, 'log'>;
  /** Passes requests to the program that shows the plugins. */
  readonly events: Announcer;
  /** Content of the configuration that plugins read, as JSON text. */
  readonly pluginConfig: string;
}

/** `/api/config`, `/api/log`, `/api/navigate`, `/api/play-sound`, `/api/stop-sound`: what published plugins ask of the client. */
export function clientRoutes({plugins, events, pluginConfig}: ClientRoutesDeps): readonly Route[] {
  const config = answer(`{"config":${pluginConfig}}`);
  const acting = (read: (body: Uint8Array, request: HttpRequest) => ClientRequested): RouteHandler =>
    acceptBody((body, {request}) => events.announce(read(body, request)));
  return [
    {
      path: '/api/config',
      needs: 'client:use',
      operations: {
        GET: ({query}) => {
          assertNoQueryButRandom(query);
          return config;
        },
      },
    },
    {
      path: '/api/log',
      needs: 'client:use',
      operations: {
        POST: acceptBody((body, {request, caller}) =>
          plugins.log(pluginOf(caller.principal, request.rawHeaders), readLogRequest(body)),
        ),
      },
    },
    {path: '/api/navigate', needs: 'client:use', operations: {POST: acting(readNavigation)}},
    {path: '/api/play-sound', needs: 'client:use', operations: {POST: acting(soundOf)}},
    {
      path: '/api/stop-sound',
      needs: 'client:use',
      operations: {POST: acting(() => ({kind: 'client-request', action: 'stop-sound'}))},
    },
  ];
}

/** Returns an operation that passes its body on, and answers `{}`. */
function acceptBody(take: (body: Uint8Array, call: Call) => void): RouteHandler {
  return withBody(CLIENT_REQUEST_BYTES_MAX, (body, call) => {
    take(body, call);
    return '{}';
  });
}

/**
 * Reads a request to play a sound. The address of the service in it is the one at which it is called, but not that of a page of a plugin: only
 * browsers resolve its name, and no other page may load its files.
 */
function soundOf(body: Uint8Array, request: HttpRequest): ClientRequested {
  const {url, ...asked} = readSound(body);
  const host = hostOf(request);
  if (!isBelowConsole(host)) return {...asked, url: replacePublishedAddress(url, host)};
  const service = `localhost:${portOf(host)}`;
  return {
    ...asked,
    url: replacePublishedAddress(url.replace(`http://${host.toLowerCase()}/`, `http://${service}/`), service),
  };
}
