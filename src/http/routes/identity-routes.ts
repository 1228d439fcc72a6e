import {AppError} from '../../domain/app-error.ts';
import type {Identity, IdentitySource} from '../../domain/identity.ts';
import {answer, asText, type HttpAnswer} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {assertNoQuery} from './no-query.ts';

/** `/api/identity`: the identity of the pilot. */
export function identityRoutes(source: IdentitySource): readonly Route[] {
  let made: {readonly identity: Identity; readonly answered: HttpAnswer} | undefined;
  return [
    {
      path: '/api/identity',
      operations: {
        GET: ({query}) => {
          assertNoQuery(query);
          const identity = source.current();
          if (identity === undefined) throw new AppError({code: 'no-identity'});
          // Create one answer for each identity, not for each request.
          if (made?.identity !== identity) made = {identity, answered: answer(asText(identity.json))};
          return made.answered;
        },
      },
    },
  ];
}
