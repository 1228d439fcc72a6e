import {PILOT_CHOICE_BYTES_MAX, readPilotChoice} from '../../documents/requests.ts';
import type {Pilots} from '../../domain/identity/pilots.ts';
import {formatPilots} from '../../protocol/pilots.ts';
import type {Route} from '../core/route.ts';
import {withBody, withoutQuery} from './no-query.ts';

/** `/api/pilots`: the sample pilots, and the choice of one. */
export function pilotRoutes(pilots: Pilots): readonly Route[] {
  return [
    {
      path: '/api/pilots',
      needs: 'identity:read',
      GET: withoutQuery(() => formatPilots(pilots.list())),
    },
    {
      path: '/api/pilots/current',
      needs: 'session:manage',
      PUT: withBody(PILOT_CHOICE_BYTES_MAX, body => formatPilots(pilots.use(readPilotChoice(body)))),
    },
  ];
}
