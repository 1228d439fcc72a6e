import type {Flight, FlightStatus} from '../../domain/plugins/flight.ts';
import type {Plugins} from '../../domain/plugins/plugin.ts';
import {AppError} from '../../failures/app-error.ts';
import {CLIENT_REQUEST_BYTES_MAX, isMembers, readBody} from '../../protocol/plugin/client-request.ts';
import {type FlightCommand, formatFlight, readFlightCommand} from '../../protocol/plugin/flight-document.ts';
import {describeTracking} from '../../protocol/plugin/flight-tracking.ts';
import {readJsonBody} from '../core/body.ts';
import {jsonAnswer} from '../core/message.ts';
import type {Route, RouteHandler} from '../core/route.ts';
import {withBody, withoutQuery} from './no-query.ts';
import {callPlugin, type InstalledPlugin} from './plugin-routes.ts';

/** Plugin for flight tracking of published clients, as other plugins see it. */
export const FLIGHT_TRACKING: InstalledPlugin = {
  id: 'com.tfdidesign.flight-tracking',
  name: 'Simulated flight',
  version: '1.0.0',
  type: 'user',
  description: 'Stands in for the flight tracking of a client: see "crewroom flight"',
  ui: false,
};

export interface FlightRoutesDeps {
  readonly flight: Flight;
  readonly plugins: Plugins;
  /** Largest body of a request to the plugin for flight tracking if it is installed, in bytes. */
  readonly bodyBytesMax: number;
  readonly nowMs: () => number;
}

/** `/api/flight`: the simulated flight; and the routes of the plugin for flight tracking that published plugins call. */
export function flightRoutes({flight, plugins, bodyBytesMax, nowMs}: FlightRoutesDeps): readonly Route[] {
  const standIn = (method: 'GET' | 'POST', name: string, act: RouteHandler): Route => {
    const [deps, route] = [
      {plugins, bodyBytesMax},
      {id: FLIGHT_TRACKING.id, name},
    ];
    const ask = {GET: callPlugin('GET', deps, route), POST: callPlugin('POST', deps, route)};
    const actOrAsk: RouteHandler = call =>
      plugins.manifest(FLIGHT_TRACKING.id) === undefined ? act(call) : ask[method](call);
    return {
      path: `/api/${FLIGHT_TRACKING.id}/${name}`,
      // Published plugins read the flight; only this one, and those that may manage plugins, start one.
      needs: {read: 'client:use', change: `routes:call:${FLIGHT_TRACKING.id}`},
      operations: {...ask, [method]: actOrAsk},
    };
  };
  const track: RouteHandler = () => jsonAnswer(describeTracking(flight.status(), new Date(nowMs()).getHours()));
  const begin: RouteHandler = async ({request}) => {
    const document = readBody(await readJsonBody(request, CLIENT_REQUEST_BYTES_MAX));
    const bidId = isMembers(document) ? document['bidID'] : undefined;
    flight.start(typeof bidId === 'string' || typeof bidId === 'number' ? {bidId} : {});
    return jsonAnswer({});
  };
  return [
    standIn('GET', 'data', track),
    standIn('POST', 'startflight', begin),
    standIn('POST', 'restoreflight', begin),
    {
      path: '/api/flight',
      needs: 'plugins:manage',
      operations: {
        GET: withoutQuery(() => formatFlight(flight.status())),
        POST: withBody(CLIENT_REQUEST_BYTES_MAX, body => {
          const command = readFlightCommand(body);
          if ('problem' in command) throw new AppError({code: 'invalid-flight', problems: [command]});
          return formatFlight(apply(flight, command));
        }),
        DELETE: withoutQuery(() => {
          flight.stop();
          return formatFlight(undefined);
        }),
      },
    },
  ];
}

function apply(flight: Flight, command: FlightCommand): FlightStatus {
  switch (command.action) {
    case 'start':
      return flight.start(command);
    case 'jump':
      return flight.jump(command.phase);
    case 'pause':
      return flight.pause();
    case 'disconnect':
      return flight.disconnect();
  }
}
