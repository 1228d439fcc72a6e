import type {BackEndAnswer} from '../../identity/backend/back-end-request.ts';
import {diagnose} from '../../identity/backend/diagnosis.ts';
import type {Finding} from '../finding.ts';
import {findingOfCallFailure} from './call-failure.ts';
import type {WalkContext} from './walk-context.ts';

const CHECK = 'Pages';

/** Where the pages of plugins come from. */
const ORIGIN = 'http://localhost:7172';

const FIX =
  'Send "Access-Control-Allow-Origin: *" with every answer, and with those to OPTIONS also "Access-Control-Allow-Headers: Authorization, Content-Type"';

/** Whether browsers let the pages of plugins call the back end (CORS), which they ask it with OPTIONS. */
export async function checkPages({scriptURL, client}: WalkContext): Promise<Finding> {
  const headers = {
    Origin: ORIGIN,
    'Access-Control-Request-Method': 'GET',
    'Access-Control-Request-Headers': 'authorization',
  };
  try {
    const answer = await client.send({scriptURL, path: 'data/airports', method: 'OPTIONS', headers});
    const problem = findProblem(answer);
    if (problem === undefined) return {check: CHECK, level: 'ok', detail: 'those of plugins may call it (CORS)'};
    const diagnosis = diagnose(answer);
    if (diagnosis !== undefined)
      return {check: CHECK, level: 'warning', detail: `${problem}: ${diagnosis.problem}`, fix: diagnosis.hint};
    // Plugins that call from their background do without, so nothing is broken for sure.
    return {check: CHECK, level: 'warning', detail: `those of plugins cannot call it: ${problem}`, fix: FIX};
  } catch (error) {
    return findingOfCallFailure(CHECK, error);
  }
}

function findProblem({status, headers}: BackEndAnswer): string | undefined {
  const allowedOrigin = headers.get('access-control-allow-origin');
  const allowedHeaders = headers.get('access-control-allow-headers') ?? '';
  if (allowedOrigin === null) return `OPTIONS is answered ${status}, without "Access-Control-Allow-Origin"`;
  if (allowedOrigin !== '*' && allowedOrigin !== ORIGIN) return 'only pages of another origin may';
  if (status < 200 || status > 299) return `OPTIONS is answered ${status}, and browsers take only 200 to 299`;
  // By the Fetch standard "*" does not stand for this one.
  if (!/(?:^|,)\s*authorization\s*(?:,|$)/i.test(allowedHeaders)) return 'the header "Authorization" is not allowed';
  return undefined;
}
