import type {Caller} from '../../domain/access/access.ts';
import type {Identity, IdentityDocument, IdentitySource} from '../../domain/identity/identity.ts';
import {FLIGHT_TRACKING_ID, type Flight, type FlightStatus} from '../../domain/plugins/flight.ts';
import type {Plugins} from '../../domain/plugins/plugin.ts';
import {AppError} from '../../failures/app-error.ts';
import {CLIENT_REQUEST_BYTES_MAX, readBody} from '../../protocol/plugin/client-request.ts';
import {type FlightCommand, formatFlight, readFlightCommand} from '../../protocol/plugin/flight-document.ts';
import {readBookedFlight} from '../../protocol/plugin/flight-plan.ts';
import {describeTracking} from '../../protocol/plugin/flight-tracking.ts';
import {readJsonBody} from '../core/body.ts';
import {jsonAnswer} from '../core/message.ts';
import type {Call, Need, Route, RouteHandler} from '../core/route.ts';
import {createdPerIdentity} from './identity-routes.ts';
import {withBody, withoutQuery} from './no-query.ts';
import {callPlugin, type InstalledPlugin} from './plugin-routes.ts';

/** Plugin for flight tracking of published clients, as other plugins see it. */
export const FLIGHT_TRACKING: InstalledPlugin = {
  id: FLIGHT_TRACKING_ID,
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
  readonly identity: Pick<IdentitySource, 'current'>;
  readonly nowMs: () => number;
}

/** `/api/flight`: the simulated flight; and the routes of the plugin for flight tracking that published plugins call. */
export function flightRoutes(deps: FlightRoutesDeps): readonly Route[] {
  const {flight, nowMs, identity} = deps;
  const airlineCode = createdPerIdentity(readAirlineCode);
  const track: RouteHandler = () => {
    const pilot = identity.current();
    const code = (pilot && airlineCode(pilot)) ?? NO_AIRLINE;
    return jsonAnswer(describeTracking(flight.status(), {hour: new Date(nowMs()).getHours(), code}));
  };
  const begin: RouteHandler = async ({request, caller}) => {
    const booked = readBookedFlight(readBody(await readJsonBody(request, CLIENT_REQUEST_BYTES_MAX)));
    if ('problem' in booked) throw new AppError({code: 'invalid-flight', problems: [booked]});
    assertReplaceable(flight, caller);
    flight.start({...booked, startedBy: caller.principal});
    return jsonAnswer({});
  };
  return [
    standIn(deps, 'GET', 'data', track),
    standIn(deps, 'POST', 'startflight', begin),
    standIn(deps, 'POST', 'restoreflight', begin),
    {
      path: '/api/flight',
      needs: 'plugins:manage',
      GET: withoutQuery(() => formatFlight(flight.status())),
      POST: withBody(CLIENT_REQUEST_BYTES_MAX, (body, {caller}) => {
        const command = readFlightCommand(body);
        if ('problem' in command) throw new AppError({code: 'invalid-flight', problems: [command]});
        return formatFlight(apply(flight, command, caller));
      }),
      DELETE: withoutQuery(() => {
        flight.stop();
        return formatFlight(undefined);
      }),
    },
  ];
}

/** Returns a route of the plugin for flight tracking, which the simulated flight answers unless that plugin is installed. */
function standIn(deps: FlightRoutesDeps, method: 'GET' | 'POST', name: string, act: RouteHandler): Route {
  const isInstalled = (): boolean => deps.plugins.manifest(FLIGHT_TRACKING.id) !== undefined;
  const route = {id: FLIGHT_TRACKING.id, name};
  const ask = {GET: callPlugin('GET', deps, route), POST: callPlugin('POST', deps, route)};
  const ofPlugin = `routes:call:${FLIGHT_TRACKING.id}` as const;
  // Published plugins fly, and read the flight, in every mode; the routes of an installed plugin are its own, but for its data.
  const need: Need = method === 'GET' ? 'client:use' : () => (isInstalled() ? ofPlugin : 'client:use');
  return {
    path: `/api/${FLIGHT_TRACKING.id}/${name}`,
    needs: method === 'GET' ? {read: need, change: ofPlugin} : {read: ofPlugin, change: need},
    ...ask,
    [method]: (call: Call) => (isInstalled() ? ask[method](call) : act(call)),
  };
}

/** Asserts that the flight that runs is the caller's, or that the caller may manage those of all. @throws {AppError} `flight-of-another`. */
function assertReplaceable(flight: Flight, caller: Caller): void {
  const running = flight.status();
  if (running === undefined || running.phase === 'ARRIVED' || running.startedBy === caller.principal) return;
  if (!caller.may('plugins:manage')) throw new AppError({code: 'flight-of-another'});
}

/** Code of the airline of a flight if no pilot is signed in. */
const NO_AIRLINE = 'CRW';

/** Reads the code of the airline from an identity; undefined if it has none. */
function readAirlineCode({json}: Identity): string | undefined {
  const {airline} = JSON.parse(new TextDecoder().decode(json)) as Partial<IdentityDocument>;
  const code: unknown = airline?.settings?.airlineICAO;
  return typeof code === 'string' && code !== '' ? code : undefined;
}

function apply(flight: Flight, command: FlightCommand, {principal}: Caller): FlightStatus {
  switch (command.action) {
    case 'start': {
      const {action, ...options} = command;
      return flight.start({...options, startedBy: principal});
    }
    case 'speed':
      return flight.changeSpeed(command.speed);
    case 'jump':
      return flight.jump(command.phase);
    case 'pause':
      return flight.pause();
    case 'disconnect':
      return flight.disconnect();
  }
}
