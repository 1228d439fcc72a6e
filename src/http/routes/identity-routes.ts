import {PILOT_CHOICE, SIGN_IN} from '../../core/documents/requests.ts';
import type {Identity, ServedSessions} from '../../core/domain/identity/identity.ts';
import type {Pilots} from '../../core/domain/identity/pilots.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {encodeJsonText, type JsonText} from '../../core/json/json-text.ts';
import {applyMergePatch} from '../../core/json/merge-patch.ts';
import {isOfPage} from '../../core/protocol/headers/sender.ts';
import {sessionDocument} from '../../core/protocol/service-documents.ts';
import {readJsonBody} from '../core/body.ts';
import {asText} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {taggedAnswer} from '../core/tagged-answer.ts';
import {assertNoQueryButRandom, withDocument, withoutQuery} from './read-parameters.ts';
import type {RoutesDeps} from './routes-deps.ts';

/** `/api/identity`: the identity of the pilot. */
export function identityRoutes({
  identity: source,
  randomBytes,
}: Pick<RoutesDeps, 'identity' | 'randomBytes'>): readonly Route[] {
  // Another key for each form: a tag proves nothing about secrets, and is never that of the other form.
  const [wholeKey, limitedKey] = [randomBytes(KEY_BYTES), randomBytes(KEY_BYTES)];
  const whole = createdPerIdentity(({json}) => taggedAnswer(asText(json), {key: wholeKey}));
  const withoutSecrets = createdPerIdentity(({json}) =>
    taggedAnswer(asText(removeSecrets(json as JsonText)), {key: limitedKey}),
  );
  return [
    {
      path: '/api/identity',
      needs: 'identity:read',
      GET: ({request, caller, query}) => {
        assertNoQueryButRandom(query);
        const identity = source.current();
        if (identity === undefined) throw new AppError({code: 'no-identity'});
        if (caller.may('identity:secrets')) return whole(identity)(request.headers);
        return {...withoutSecrets(identity)(request.headers), withheld: 'identity:secrets'};
      },
    },
  ];
}

const KEY_BYTES = 32;

/** Memoizes a function of the identity: it is called once for each identity, not for each request. */
export function createdPerIdentity<T>(create: (identity: Identity) => T): (identity: Identity) => T {
  let made: {readonly identity: Identity; readonly value: T} | undefined;
  return identity => {
    if (made?.identity !== identity) made = {identity, value: create(identity)};
    return made.value;
  };
}

/** Name of the member with the platform account, of any brand. */
const ACCOUNT = /_design_user$/;

/** Removes the session of the pilot and the token of the platform account. All other members keep their bytes. */
function removeSecrets(json: JsonText): JsonText {
  const members = Object.entries(JSON.parse(new TextDecoder().decode(json)) as Readonly<Record<string, unknown>>);
  const accounts = members
    .filter(([name, value]) => ACCOUNT.test(name) && typeof value === 'object' && value !== null)
    .map(([name]) => [name, {token: null}] as const);
  const patch = {va_user: {session: null}, ...Object.fromEntries(accounts)};
  return applyMergePatch(json, encodeJsonText(JSON.stringify(patch)));
}

/** `/api/session`: signs in to the back end of the airline, verifies the session, and signs out. No answer contains a secret. */
export function sessionRoutes(sessions: ServedSessions): readonly Route[] {
  return [
    {
      path: '/api/session',
      needs: {read: 'identity:read', change: 'session:manage'},
      GET: withoutQuery(async () => sessionDocument(await sessions.status())),
      POST: withoutQuery(async ({request}) => {
        const signIn = SIGN_IN.read(await readJsonBody(request, SIGN_IN.bytesMax));
        // Even an allowed page must not make the service call any address of the network.
        const mayNameBackEnd = !isOfPage(request.rawHeaders);
        return sessionDocument(await sessions.signIn(signIn, {mayNameBackEnd}));
      }),
      DELETE: withoutQuery(async () => sessionDocument(await sessions.signOut())),
    },
    {
      path: '/api/session/verify',
      needs: 'session:manage',
      POST: withoutQuery(async () => sessionDocument(await sessions.verify()), 202),
    },
  ];
}

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
