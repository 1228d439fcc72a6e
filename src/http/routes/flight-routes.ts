import {AppError} from '../../domain/app-error.ts';
import type {Flight, FlightStatus} from '../../domain/flight.ts';
import {CLIENT_REQUEST_BYTES_MAX} from '../../protocol/plugin/client-request.ts';
import {type FlightCommand, formatFlight, readFlightCommand} from '../../protocol/plugin/flight-document.ts';
import {readJsonBody} from '../core/body.ts';
import {answer, jsonAnswer} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {assertNoQuery} from './no-query.ts';

/** `/api/flight`: the simulated flight. */
export function flightRoutes(flight: Flight): readonly Route[] {
  return [
    {
      path: '/api/flight',
      operations: {
        GET: ({query}) => {
          assertNoQuery(query);
          const status = flight.status();
          if (status === undefined) throw new AppError({code: 'no-flight'});
          return answer(formatFlight(status));
        },
        POST: async ({request, query}) => {
          assertNoQuery(query);
          const command = readFlightCommand(await readJsonBody(request, CLIENT_REQUEST_BYTES_MAX));
          if ('problem' in command) throw new AppError({code: 'invalid-flight', problems: [command]});
          return answer(formatFlight(apply(flight, command)));
        },
        DELETE: ({query}) => {
          assertNoQuery(query);
          flight.stop();
          return jsonAnswer({});
        },
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
