import {SIGN_IN} from '../../documents/requests.ts';
import type {ServedSessions, SignIn} from '../../domain/identity/session.ts';
import {AppError} from '../../failures/app-error.ts';
import {isOfPage} from '../../protocol/headers/sender.ts';
import {formatSession} from '../../protocol/session.ts';
import {readJsonBody} from '../core/body.ts';
import type {HttpRequest} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {withoutQuery} from './no-query.ts';

/** `/api/session`: signs in to the back end of the airline, verifies the session, and signs out. No answer contains a secret. */
export function sessionRoutes(sessions: ServedSessions): readonly Route[] {
  return [
    {
      path: '/api/session',
      needs: {read: 'identity:read', change: 'session:manage'},
      GET: withoutQuery(async () => formatSession(await sessions.status())),
      POST: withoutQuery(async ({request}) => {
        const signIn = await readRequest(request);
        // Even an allowed page must not make the service call any address of the network.
        const mayNameBackEnd = !isOfPage(request.rawHeaders);
        return formatSession(await sessions.signIn(signIn, {mayNameBackEnd}));
      }),
      DELETE: withoutQuery(async () => formatSession(await sessions.signOut())),
    },
    {
      path: '/api/session/verify',
      needs: 'session:manage',
      POST: withoutQuery(async () => formatSession(await sessions.verify()), 202),
    },
  ];
}

async function readRequest(request: HttpRequest): Promise<SignIn> {
  try {
    return SIGN_IN.read(await readJsonBody(request, SIGN_IN.bytesMax));
  } catch (error) {
    if (!(error instanceof AppError) || error.failure.code !== 'value-too-large') throw error;
    const problem = `is larger than ${SIGN_IN.bytesMax} bytes`;
    throw new AppError({code: 'invalid-sign-in', problems: [{path: '$', problem}]}, {cause: error});
  }
}
