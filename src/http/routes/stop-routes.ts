import type {Owner} from '../../domain/access/owner.ts';
import type {ProgramStop} from '../../domain/program-stop.ts';
import type {Stopping} from '../../protocol/service-documents.ts';
import type {Route} from '../core/route.ts';
import {withoutQuery} from './no-query.ts';
import {forOwner} from './own-callers.ts';

/** `/api/stop`: ends the program of the service, for its owner. Missing in a program that embeds the service and ends by itself. */
export function stopRoutes(stop: ProgramStop | undefined, owner: Pick<Owner, 'isOwner'>): readonly Route[] {
  if (stop === undefined) return [];
  return [
    {
      path: '/api/stop',
      needs: 'by-operation',
      POST: forOwner(owner)(
        withoutQuery(() => {
          // The end waits for requests in progress, and so for this answer.
          stop.ask();
          return JSON.stringify({processId: stop.processId} satisfies Stopping);
        }, 202),
      ),
    },
  ];
}
