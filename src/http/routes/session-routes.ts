import {AppError} from '../../domain/app-error.ts';
import type {Sessions, SignIn} from '../../domain/session.ts';
import {headerValues} from '../../protocol/headers/raw-headers.ts';
import {formatSession, readSignIn, SIGN_IN_BYTES_MAX} from '../../protocol/session.ts';
import {readJsonBody} from '../core/body.ts';
import {answer, type HttpRequest} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {assertNoQuery} from './no-query.ts';

/** `/api/session`: signs in to the back end of the airline, verifies the session, and signs out. No answer contains a secret. */
export function sessionRoutes(sessions: Sessions): readonly Route[] {
  return [
    {
      path: '/api/session',
      operations: {
        GET: ({query}) => {
          assertNoQuery(query);
          return answer(formatSession(sessions.status()));
        },
        POST: async ({request, query}) => {
          assertNoQuery(query);
          return answer(formatSession(await sessions.signIn(await readRequest(request))));
        },
        DELETE: async ({query}) => {
          assertNoQuery(query);
          return answer(formatSession(await sessions.signOut()));
        },
      },
    },
    {
      path: '/api/session/verify',
      operations: {
        POST: async ({query}) => {
          assertNoQuery(query);
          return answer(formatSession(await sessions.verify()), {status: 202});
        },
      },
    },
  ];
}

async function readRequest(request: HttpRequest): Promise<SignIn> {
  const signIn = readSignIn(await readBody(request));
  // Browsers send an Origin with every POST. Even an allowed page must not make the service call any address of the network.
  return {...signIn, mayNameBackEnd: headerValues(request.rawHeaders, 'origin').length === 0};
}

async function readBody(request: HttpRequest): Promise<Uint8Array> {
  try {
    return await readJsonBody(request, SIGN_IN_BYTES_MAX);
  } catch (error) {
    if (!(error instanceof AppError) || error.failure.code !== 'value-too-large') throw error;
    const problem = `is larger than ${SIGN_IN_BYTES_MAX} bytes`;
    throw new AppError({code: 'invalid-sign-in', problems: [{path: '$', problem}]}, {cause: error});
  }
}
