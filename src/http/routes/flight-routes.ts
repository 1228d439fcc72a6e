import {checkFlight, FLIGHT_OPTIONS} from '../../core/documents/flight.ts';
import type {Caller} from '../../core/domain/access/access.ts';
import type {Identity, IdentityDocument} from '../../core/domain/identity/identity.ts';
import type {Flight, FlightChange, FlightFrame} from '../../core/domain/plugins/flight.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {CLIENT_REQUEST_BYTES_MAX, readBody} from '../../core/protocol/plugin/client-request.ts';
import {readBookedFlight} from '../../core/protocol/plugin/flight-plan.ts';
import {describeTracking, formatFlight} from '../../core/protocol/plugin/flight-tracking.ts';
import {readJsonBody} from '../core/body.ts';
import {jsonAnswer} from '../core/message.ts';
import type {Call, Need, Route, RouteHandler} from '../core/route.ts';
import {createdPerIdentity} from './identity-routes.ts';
import {callPlugin, FLIGHT_TRACKING} from './plugin-routes.ts';
import {withBody, withoutQuery} from './read-parameters.ts';
import type {RoutesDeps} from './routes-deps.ts';

/** Largest frame, in bytes: three times one with every member. */
const FRAME_BYTES_MAX = 4096;

/** `/api/flight`: the flight, and its frames; and the routes of the flight tracking plugin that published plugins call. */
export function flightRoutes(deps: RoutesDeps): readonly Route[] {
  const {flight, identity} = deps;
  const airlineCode = createdPerIdentity(readAirlineCode);
  const track: RouteHandler = () => {
    const pilot = identity.current();
    const code = (pilot && airlineCode(pilot)) ?? NO_AIRLINE;
    return jsonAnswer(describeTracking(flight.status(), {code, recoverable: flight.recoverable()}));
  };
  const begin =
    (how: 'start' | 'restore'): RouteHandler =>
    async ({request, caller}) => {
      const booked = readBookedFlight(readBody(await readJsonBody(request, CLIENT_REQUEST_BYTES_MAX)));
      assertReplaceable(flight, caller);
      flight[how]({...booked, startedBy: caller.principal});
      return jsonAnswer({});
    };
  return [
    standIn(deps, 'GET', 'data', track),
    standIn(deps, 'POST', 'startflight', begin('start')),
    standIn(deps, 'POST', 'restoreflight', begin('restore')),
    {
      path: '/api/flight',
      needs: 'plugins:manage',
      GET: withoutQuery(() => formatFlight(flight.status(), flight.recoverable())),
      POST: withBody(CLIENT_REQUEST_BYTES_MAX, (body, {caller}) =>
        formatFlight(flight.start({...checkFlight(FLIGHT_OPTIONS, readBody(body)), startedBy: caller.principal})),
      ),
      PATCH: withBody(CLIENT_REQUEST_BYTES_MAX, body => formatFlight(flight.change(readBody(body) as FlightChange))),
      DELETE: withoutQuery(async () => {
        await flight.stop();
        return formatFlight(undefined);
      }),
    },
    {
      path: '/api/flight/frames',
      needs: {read: 'plugins:manage', change: 'flight:report'},
      POST: withBody(FRAME_BYTES_MAX, body => flight.report(readBody(body) as FlightFrame)),
    },
  ];
}

/** Returns a route of the flight tracking plugin, answered by the simulated flight unless that plugin is installed. */
function standIn(deps: RoutesDeps, method: 'GET' | 'POST', name: string, act: RouteHandler): Route {
  const isInstalled = (): boolean => deps.plugins.find(FLIGHT_TRACKING.id)?.manifest !== undefined;
  const route = {id: FLIGHT_TRACKING.id, name};
  const ask = {GET: callPlugin('GET', deps, route), POST: callPlugin('POST', deps, route)};
  const ofPlugin = `routes:call:${FLIGHT_TRACKING.id}` as const;
  // Published plugins fly, and read the flight, in every mode; the routes of an installed plugin are its own, but for its data.
  const need: Need = method === 'GET' ? 'client:use' : () => (isInstalled() ? ofPlugin : 'client:use');
  return {
    path: `/api/${FLIGHT_TRACKING.id}/${name}`,
    needs: method === 'GET' ? {read: need, change: ofPlugin} : {read: ofPlugin, change: need},
    isPlugins: isInstalled,
    ...ask,
    [method]: (call: Call) => (isInstalled() ? ask[method](call) : act(call)),
  };
}

/** Asserts that the flight that runs is the caller's, or that the caller may manage those of all. @throws {AppError} `flight-of-another`. */
function assertReplaceable(flight: Flight, caller: Caller): void {
  const running = flight.status();
  if (running?.number === undefined || running.phase === 'ARRIVED' || running.startedBy === caller.principal) return;
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
