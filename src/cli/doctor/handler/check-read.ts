import type {HandlerAnswer} from '../../../identity/handler-exchange.ts';
import {findRedirect} from '../../../identity/handler-redirect.ts';
import type {Pilot} from '../../../identity/pilot.ts';
import type {Finding} from '../finding.ts';
import {claimsJson, describeBody, findMixture, MIXTURE_FIXES, readBody} from './body.ts';
import {findingOfSilence} from './silence.ts';
import type {HandlerPlace} from './walk.ts';

const CHECK = 'Read';

/** What every handler has for those who are signed in. */
const PATH = 'data/airports';

/** What to put where, since hosts differ: Apache with PHP as CGI or FPM, and nginx. */
const AUTHORIZATION_FIX =
  'Hand the header on to PHP. Apache, in .htaccess: SetEnvIf Authorization "(.+)" HTTP_AUTHORIZATION=$1 (or, from 2.4.13 on: CGIPassAuth On). nginx: fastcgi_param HTTP_AUTHORIZATION $http_authorization;';

/** Whether a session that was just verified opens what is for pilots; where it does not, its header was lost on the way. */
export async function checkRead({session}: Pilot, {scriptURL, client}: HandlerPlace): Promise<Finding> {
  const request = {scriptURL, path: PATH, method: 'GET'};
  try {
    const headers = {Authorization: `Bearer ${session}`};
    const answer = await client.send({...request, headers, secrets: [session]});
    if (answer.status === 401 || answer.status === 403) return describeLoss(answer, await client.send(request));
    const redirect = findRedirect(answer);
    if (redirect !== undefined) return findingOfSilence(CHECK, redirect);
    const found = judge(answer);
    if (found.level !== 'ok') return found;
    const bare = await client.send(request);
    return bare.status === 200 ? describeOpenDoor() : found;
  } catch (error) {
    return findingOfSilence(CHECK, error);
  }
}

function judge(answer: HandlerAnswer): Finding {
  const {status} = answer;
  const body = readBody(answer);
  const fix = `Answer GET ${PATH} with the airports as a JSON array`;
  if (status !== 200)
    return {check: CHECK, level: 'problem', detail: `${PATH} answers ${status} with ${describeBody(answer)}`, fix};
  const mixture = findMixture(answer);
  if (mixture !== undefined)
    return {
      check: CHECK,
      level: 'problem',
      detail: `${PATH} answers with ${mixture} before the JSON`,
      fix: MIXTURE_FIXES[mixture],
    };
  if (body.kind !== 'json' || !Array.isArray(body.value))
    return {check: CHECK, level: 'problem', detail: `${PATH} answers with ${describeBody(answer)}`, fix};
  const count = body.value.length;
  if (!claimsJson(answer))
    return {
      check: CHECK,
      level: 'warning',
      detail: `${PATH} answers with JSON and calls it something else`,
      fix: 'Send the header "Content-Type: application/json" with every answer',
    };
  return {check: CHECK, level: 'ok', detail: `${PATH} has ${count} ${count === 1 ? 'airport' : 'airports'}`};
}

/** The session is good, so whoever refuses it has not seen it; the more so when nothing at all is refused alike. */
function describeLoss({status, bytes}: HandlerAnswer, bare: HandlerAnswer): Finding {
  const isAlike = bare.status === status && Buffer.compare(bare.bytes, bytes) === 0;
  const seen = isAlike ? ', just as without it: the header "Authorization" is lost on the way to PHP' : '';
  return {
    check: CHECK,
    level: 'problem',
    detail: `${PATH} refuses the session that was just verified (${status})${seen}`,
    fix: isAlike
      ? AUTHORIZATION_FIX
      : 'Let every path take the session of "Authorization: Bearer …" as pilot/verify does',
  };
}

function describeOpenDoor(): Finding {
  return {
    check: CHECK,
    level: 'warning',
    detail: `${PATH} is open to everybody, also without a session`,
    fix: 'Ask for a session ("Authorization: Bearer …") on everything but the probe and the three calls of the pilot',
  };
}
