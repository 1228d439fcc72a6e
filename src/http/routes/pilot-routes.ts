import {PILOT_CHOICE_BYTES_MAX, readPilotChoice} from '../../documents/requests.ts';
import type {Pilots} from '../../domain/identity/pilots.ts';
import {formatPilots} from '../../protocol/pilots.ts';
import {readJsonBody} from '../core/body.ts';
import {answer} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {assertNoQuery} from './no-query.ts';

/** `/api/pilots`: the sample pilots, and the choice of one. */
export function pilotRoutes(pilots: Pilots): readonly Route[] {
  return [
    {
      path: '/api/pilots',
      needs: 'identity:read',
      operations: {
        GET: ({query}) => {
          assertNoQuery(query);
          return answer(formatPilots(pilots.list()));
        },
      },
    },
    {
      path: '/api/pilots/current',
      needs: 'session:manage',
      operations: {
        PUT: async ({request, query}) => {
          assertNoQuery(query);
          const name = readPilotChoice(await readJsonBody(request, PILOT_CHOICE_BYTES_MAX));
          return answer(formatPilots(pilots.use(name)));
        },
      },
    },
  ];
}
