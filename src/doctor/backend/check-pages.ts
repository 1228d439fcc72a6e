import {diagnose} from '../../identity/backend/diagnosis.ts';
import type {BackEndResponse} from '../../identity/backend/request/back-end-request.ts';
import type {Finding} from '../finding.ts';
import {findingOfCallFailure} from './call-failure.ts';
import type {WalkContext} from './walk-context.ts';

const CHECK = 'Pages';

/** Origin of the pages of plugins. */
const ORIGIN = 'http://localhost:7172';

const FIX =
  'Send "Access-Control-Allow-Origin: *" with every answer, and with those to OPTIONS also "Access-Control-Allow-Headers: Authorization, Content-Type"';

/** Checks if browsers let the pages of plugins call the back end (CORS), with a preflight request. */
export async function checkPages({scriptURL, client}: WalkContext): Promise<Finding> {
  const headers = {
    Origin: ORIGIN,
    'Access-Control-Request-Method': 'GET',
    'Access-Control-Request-Headers': 'authorization',
  };
  try {
    const answer = await client.send({scriptURL, path: 'data/airports', method: 'OPTIONS', headers});
    const problem = findProblem(answer);
    if (problem === undefined) return {check: CHECK, level: 'ok', detail: 'pages of plugins may call it (CORS)'};
    const diagnosis = diagnose(answer);
    if (diagnosis !== undefined)
      return {check: CHECK, level: 'warning', detail: `${problem}: ${diagnosis.problem}`, fix: diagnosis.hint};
    // Only a warning: background processes of plugins do not need CORS.
    return {check: CHECK, level: 'warning', detail: `pages of plugins cannot call it: ${problem}`, fix: FIX};
  } catch (error) {
    return findingOfCallFailure(CHECK, error);
  }
}

function findProblem({status, headers}: BackEndResponse): string | undefined {
  const allowedOrigin = headers.get('access-control-allow-origin');
  const allowedHeaders = headers.get('access-control-allow-headers') ?? '';
  if (allowedOrigin === null) return `OPTIONS is answered with ${status}, without "Access-Control-Allow-Origin"`;
  if (allowedOrigin !== '*' && allowedOrigin !== ORIGIN) return 'only pages of another origin are allowed';
  if (status < 200 || status > 299) return `OPTIONS is answered with ${status}, and browsers accept only 200 to 299`;
  // Fetch standard: "*" does not include this header.
  if (!/(?:^|,)\s*authorization\s*(?:,|$)/i.test(allowedHeaders)) return 'the header "Authorization" is not allowed';
  return undefined;
}
