import {PILOTS, SESSION} from '../../core/documents/answers/service-answers.ts';
import {IDENTITY_DOCUMENT} from '../../core/documents/identity.ts';
import {PILOT_CHOICE, SIGN_IN} from '../../core/documents/requests.ts';
import {JSON_BODY_FAILURES, tagged} from './operation.ts';

/** Operations of the pilot and the session. */
export const IDENTITY_OPERATIONS = tagged('Identity', {
  'GET /api/identity': {
    operationId: 'getIdentity',
    summary: 'Read the identity of the pilot',
    headers: ['If-None-Match'],
    answers: {
      200: {description: 'The identity document.', schema: IDENTITY_DOCUMENT, headers: ['ETag of a document']},
      304: {
        description: 'The document, as this caller gets it, has one of the ETags.',
        headers: ['ETag of a document'],
      },
    },
    failures: ['no-identity'],
  },
  'GET /api/pilots': {
    operationId: 'listPilots',
    summary: 'List the sample pilots, and which of them is served',
    answers: {200: {description: 'The sample pilots.', schema: PILOTS}},
  },
  'PUT /api/pilots/current': {
    operationId: 'usePilot',
    summary: 'Serve another sample pilot',
    description:
      'Until the service ends. Refused unless the identity is a sample: a profile or a signed-in pilot is never replaced. Backgrounds of plugins are restarted for the new pilot.',
    body: {description: 'The name of a sample pilot.', schema: PILOT_CHOICE.schema, example: {name: 'first-officer'}},
    answers: {200: {description: 'The sample pilots.', schema: PILOTS}},
    failures: [...JSON_BODY_FAILURES, 'invalid-body', 'not-offered'],
  },
  'GET /api/session': {
    operationId: 'getSession',
    summary: 'Read the state of the session',
    description: 'Whether a pilot is signed in, to which back end and since when. Contains no secret.',
    answers: {200: {description: 'The state of the session.', schema: SESSION}},
  },
  'POST /api/session': {
    operationId: 'signIn',
    summary: 'Sign in to the back end of the airline',
    description:
      'Sends the password to the configured back end once, without following redirects. A failure changes nothing.',
    body: {description: 'The credentials, and the back end.', schema: SIGN_IN.schema},
    answers: {200: {description: 'Signed in: the service now has the identity of this pilot.', schema: SESSION}},
    failures: [
      ...JSON_BODY_FAILURES,
      'invalid-body',
      'not-offered',
      'wrong-credentials',
      'pilot-not-confirmed',
      'account-broken',
      'unprotected-back-end',
      'back-end-failed',
      'invalid-pilot',
      'store-closed',
    ],
  },
  'DELETE /api/session': {
    operationId: 'signOut',
    summary: 'Sign out',
    description: 'Deletes the session, wherever it is stored. Idempotent.',
    answers: {200: {description: 'Signed out.', schema: SESSION}},
    failures: ['not-offered'],
  },
  'POST /api/session/verify': {
    operationId: 'verifySession',
    summary: 'Verify the session with the back end',
    description:
      'For callers that the back end of the airline has just refused (401). Answers at once; if the session is over, the event "identity-changed" follows and GET /api/session has the reason. Verifies at most once a minute; further calls are accepted without effect.',
    answers: {202: {description: 'Accepted. The state of the session before the verification.', schema: SESSION}},
    failures: ['no-identity', 'not-offered'],
  },
});
