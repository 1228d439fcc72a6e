import {PILOT_CHOICE} from '../../documents/requests.ts';
import type {Pilots} from '../../domain/identity/pilots.ts';
import type {Route} from '../core/route.ts';
import {withDocument, withoutQuery} from './no-query.ts';

/** `/api/pilots`: the sample pilots, and the choice of one. */
export function pilotRoutes(pilots: Pilots): readonly Route[] {
  return [
    {
      path: '/api/pilots',
      needs: 'identity:read',
      GET: withoutQuery(() => pilots.list()),
    },
    {
      path: '/api/pilots/current',
      needs: 'session:manage',
      PUT: withDocument(PILOT_CHOICE, ({name}) => pilots.use(name)),
    },
  ];
}
