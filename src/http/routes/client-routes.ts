import type {ClientRequested} from '../../core/domain/commits/event.ts';
import {pluginOf} from '../../core/protocol/headers/sender.ts';
import {
  CLIENT_REQUEST_BYTES_MAX,
  readLogRequest,
  readNavigation,
  readSound,
} from '../../core/protocol/plugin/client-request.ts';
import {answer} from '../core/message.ts';
import type {Call, Route, RouteHandler} from '../core/route.ts';
import {isBelowConsole} from '../core/sites.ts';
import {hostOf, portOf, replacePublishedAddress} from './published-address.ts';
import {assertNoQueryButRandom, withBody} from './read-parameters.ts';
import type {RoutesDeps} from './routes-deps.ts';
import type {SoundAddresses} from './sound-addresses.ts';

/** `/api/config`, `/api/log`, `/api/navigate`, `/api/play-sound`, `/api/stop-sound`: what published plugins ask of the client. */
export function clientRoutes({plugins, events, pluginConfig}: RoutesDeps, sounds: SoundAddresses): readonly Route[] {
  const config = answer(`{"config":${pluginConfig}}`);
  const acting = (read: (body: Uint8Array, call: Call) => ClientRequested): RouteHandler =>
    acceptBody((body, call) => events.announce(read(body, call)));
  return [
    {
      path: '/api/config',
      needs: 'client:use',
      GET: ({query}) => {
        assertNoQueryButRandom(query);
        return config;
      },
    },
    {
      path: '/api/log',
      needs: 'client:use',
      POST: acceptBody((body, {request, caller}) =>
        plugins.log(pluginOf(caller.principal, request.rawHeaders), readLogRequest(body)),
      ),
    },
    {path: '/api/navigate', needs: 'client:use', POST: acting(readNavigation)},
    {
      path: '/api/play-sound',
      needs: 'client:use',
      POST: acting((body, call) => soundOf(body, call, sounds)),
    },
    {
      path: '/api/stop-sound',
      needs: 'client:use',
      POST: acting(() => ({kind: 'client-request', action: 'stop-sound'})),
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
function soundOf(body: Uint8Array, {request, caller}: Call, sounds: SoundAddresses): ClientRequested {
  const {url, ...asked} = readSound(body);
  const host = hostOf(request);
  const played = isBelowConsole(host) ? `localhost:${portOf(host)}` : host;
  const own = isBelowConsole(host) ? url.replace(`http://${host.toLowerCase()}/`, `http://${played}/`) : url;
  return {...asked, url: sounds.addressFor(replacePublishedAddress(own, played), `http://${played}`, caller)};
}
