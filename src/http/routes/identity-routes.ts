import type {Identity, IdentitySource} from '../../domain/identity/identity.ts';
import {AppError} from '../../failures/app-error.ts';
import {encodeJsonText, type JsonText} from '../../json/json-text.ts';
import {applyMergePatch} from '../../json/merge-patch.ts';
import {answer, asText} from '../core/message.ts';
import type {Route} from '../core/route.ts';
import {assertNoQueryButRandom} from './no-query.ts';

/** `/api/identity`: the identity of the pilot. */
export function identityRoutes(source: IdentitySource): readonly Route[] {
  const whole = createdPerIdentity(({json}) => answer(asText(json)));
  const withoutSecrets = createdPerIdentity(({json}) => answer(asText(removeSecrets(json as JsonText))));
  return [
    {
      path: '/api/identity',
      needs: 'identity:read',
      GET: ({caller, query}) => {
        assertNoQueryButRandom(query);
        const identity = source.current();
        if (identity === undefined) throw new AppError({code: 'no-identity'});
        return caller.may('identity:secrets') ? whole(identity) : withoutSecrets(identity);
      },
    },
  ];
}

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
