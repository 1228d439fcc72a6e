import {AppError} from '../../../core/failures/app-error.ts';
import type {Failure} from '../../../core/failures/failure.ts';
import {VERSION} from '../../../core/version.ts';
import {type BackEndClient, createBackEndClient} from '../../../service/identity/backend/back-end-client.ts';
import {diagnose} from '../../../service/identity/backend/diagnosis.ts';
import {type PilotCredentials, readProbe} from '../../../service/identity/backend/pilot-answer.ts';
import type {BackEndResponse} from '../../../service/identity/backend/request/back-end-request.ts';
import {findBareAddress, findRedirect} from '../../../service/identity/backend/request/redirect.ts';
import {isUnprotected, readScriptUrl} from '../../../service/identity/backend/script-url.ts';
import {type Finding, type Findings, NamedCheck} from '../finding.ts';
import {describeBody, findingOfCallFailure, judgeForm, type WalkContext, type WalkDeps} from './call-findings.ts';
import {checkConnection} from './check-connection.ts';
import {checkFailures} from './check-failures.ts';
import {checkSignIn, SIGN_IN_NOT_TRIED} from './check-sign-in.ts';

/** The back end to check, and the pilot to sign in as. */
export interface WalkTarget {
  /** The address as the user typed it. */
  readonly scriptURL: string;
  /** Without credentials the checks end before the sign-in. */
  readonly credentials?: PilotCredentials | undefined;
}

/**
 * Calls a back end as Crewroom and plugins do, from its address to a read with a session, and yields the findings of each
 * step. Ends at the first step without which the next one cannot work. The password is sent to the given address only.
 */
export async function* walkBackEnd({scriptURL: given, credentials}: WalkTarget, deps: WalkDeps): Findings {
  const {scriptURL, findings} = checkAddress(given);
  yield findings;
  if (scriptURL === undefined) return;
  const reached = await checkConnection(scriptURL, deps);
  yield reached.findings;
  if (!reached.isReached) return;
  const client = createReportingClient(deps);
  const probed = await checkProbe(scriptURL, {client, elapsedMs: deps.elapsedMs});
  yield probed.findings;
  if (probed.scriptURL === undefined) return;
  const place = {...deps, scriptURL: probed.scriptURL, client};
  yield [await checkPages(place)];
  const obstacle = findObstacle(probed.scriptURL === scriptURL, scriptURL, deps);
  yield* checkFailures(place, credentials !== undefined && obstacle === undefined);
  if (credentials === undefined) yield [SIGN_IN_NOT_TRIED.withoutCredentials];
  else if (obstacle !== undefined) yield [obstacle];
  else yield* checkSignIn({...place, credentials, backEnd: probed.backEnd});
}

/** Returns the reason why the password may not be sent; undefined if it may. */
function findObstacle(isThere: boolean, scriptURL: string, {allowPlainHttp}: WalkDeps): Finding | undefined {
  if (!isThere) return SIGN_IN_NOT_TRIED.elsewhere;
  return isUnprotected(scriptURL) && allowPlainHttp !== true ? SIGN_IN_NOT_TRIED.unprotected : undefined;
}

/** Returns a client that reports each request before it sends it. */
function createReportingClient({onStep, timeoutMs, allowPlainHttp, fetch}: WalkDeps): BackEndClient {
  return createBackEndClient({
    userAgent: `Crewroom/${VERSION} (doctor)`,
    timeoutMs,
    allowPlainHttp,
    fetch: (input, init) => {
      const {origin, pathname} = new URL(String(input));
      onStep?.(`${init?.method} ${origin}${pathname}`);
      return fetch(input, init);
    },
  });
}

const PAGES = new NamedCheck('Pages');

/** Origin of the pages of plugins. */
const ORIGIN = 'http://localhost:7172';

const CORS_FIX =
  'Send "Access-Control-Allow-Origin: *" with every answer, and with those to OPTIONS also "Access-Control-Allow-Headers: Authorization, Content-Type"';

/** Checks if browsers let the pages of plugins call the back end (CORS), with a preflight request. */
async function checkPages({scriptURL, client}: WalkContext): Promise<Finding> {
  const headers = {
    Origin: ORIGIN,
    'Access-Control-Request-Method': 'GET',
    'Access-Control-Request-Headers': 'authorization',
  };
  try {
    const answer = await client.send({scriptURL, path: 'data/airports', method: 'OPTIONS', headers});
    const problem = findCorsProblem(answer);
    if (problem === undefined) return PAGES.ok('pages of plugins may call it (CORS)');
    const diagnosis = diagnose(answer);
    if (diagnosis !== undefined) return PAGES.warning(`${problem}: ${diagnosis.problem}`, diagnosis.advice);
    // Only a warning: background processes of plugins do not need CORS.
    return PAGES.warning(`pages of plugins cannot call it: ${problem}`, CORS_FIX);
  } catch (error) {
    return findingOfCallFailure(PAGES.name, error);
  }
}

function findCorsProblem({status, headers}: BackEndResponse): string | undefined {
  const allowedOrigin = headers.get('access-control-allow-origin');
  const allowedHeaders = headers.get('access-control-allow-headers') ?? '';
  if (allowedOrigin === null) return `OPTIONS is answered with ${status}, without "Access-Control-Allow-Origin"`;
  if (allowedOrigin !== '*' && allowedOrigin !== ORIGIN) return 'only pages of another origin are allowed';
  if (status < 200 || status > 299) return `OPTIONS is answered with ${status}, and browsers accept only 200 to 299`;
  // Fetch standard: "*" does not include this header.
  if (!/(?:^|,)\s*authorization\s*(?:,|$)/i.test(allowedHeaders)) return 'the header "Authorization" is not allowed';
  return undefined;
}

const ADDRESS = new NamedCheck('Address');

/** Checks the form of an address. @returns The address with a slash at its end; undefined if it is invalid. */
function checkAddress(given: string) {
  const reading = readScriptUrl(given);
  if ('problem' in reading) {
    const fix = 'Give the address of the directory of the back end, such as https://air.example/back-end/';
    return {scriptURL: undefined, findings: [ADDRESS.problem(`the address ${reading.problem}`, fix)]};
  }
  const {scriptURL} = reading;
  const warnings = [...findMissingSlash(given, scriptURL), ...findPlainHttp(scriptURL)];
  return {scriptURL, findings: warnings.length === 0 ? [ADDRESS.ok(scriptURL)] : warnings};
}

function findMissingSlash(given: string, scriptURL: string): readonly Finding[] {
  if (given.endsWith('/')) return [];
  return [
    ADDRESS.problem(
      'the address does not end in "/": plugins append their paths to it unchanged, and "crewroom start" refuses it',
      `Configure ${scriptURL} as scriptURL of the airline`,
    ),
  ];
}

function findPlainHttp(scriptURL: string): readonly Finding[] {
  if (!isUnprotected(scriptURL)) return [];
  return [
    ADDRESS.warning(
      'without https, others on the network can read passwords and sessions, so "crewroom start" sends neither without --allow-plain-http',
      'Enable https for the site (most hosters offer it at no cost), then configure the https:// address',
    ),
  ];
}

/** Maximum number of redirects that are followed. Browsers follow 20; a real site needs at most two. */
const REDIRECTS_MAX = 5;

const REDIRECT = new NamedCheck('Redirects');
const CHECK = new NamedCheck('Back end');

/**
 * Checks which back end is at the address. Sends no secret.
 *
 * @returns Also the address to continue with, after redirects; undefined if there is no back end.
 */
async function checkProbe(scriptURL: string, deps: Pick<WalkContext, 'client' | 'elapsedMs'>) {
  const findings: Finding[] = [];
  let place = scriptURL;
  try {
    for (let count = 0; count <= REDIRECTS_MAX; count++) {
      const beganAtMs = deps.elapsedMs();
      const first = await deps.client.send({scriptURL: place, path: '', method: 'GET'});
      const bare = findBareAddress(first);
      const answer = bare === undefined ? first : await deps.client.send({scriptURL: bare, path: '', method: 'GET'});
      const next = findNext(answer);
      if (next === undefined) {
        if (count === 0) findings.push(REDIRECT.ok(bare === undefined ? 'none' : NO_SLASH));
        const tookMs = Math.round(deps.elapsedMs() - beganAtMs);
        const found = judgeProbe(answer, tookMs);
        findings.push(...found);
        if (found.some(({level}) => level === 'problem')) return {scriptURL: undefined, findings};
        return {scriptURL: place, backEnd: readProbe(answer), findings};
      }
      findings.push(next.finding);
      if (next.scriptURL === undefined || next.scriptURL === place) return {scriptURL: undefined, findings};
      place = next.scriptURL;
    }
    const detail = `there are more than ${REDIRECTS_MAX}, one after the other`;
    findings.push(REDIRECT.problem(detail, LOOP_FIX));
  } catch (error) {
    findings.push(findingOfCallFailure(CHECK.name, error));
  }
  return {scriptURL: undefined, findings};
}

const NO_SLASH = 'the slash at the end of the address is removed, as Laravel does; that is harmless';

const LOOP_FIX =
  'Look at the rewrite rules of the web server (.htaccess) and at the settings of the site for https and www: two of them contradict each other';

function findNext(answer: BackEndResponse) {
  const redirect = findRedirect(answer);
  const failure = redirect?.failure;
  if (failure?.code !== 'back-end-failed') return undefined;
  const {scriptURL} = failure;
  const detail = `${failure.url} redirects to ${failure.target}: ${failure.problem}`;
  const fix = redirect?.advice ?? (scriptURL === undefined ? LOOP_FIX : fixOf(failure, scriptURL));
  return {finding: REDIRECT.problem(detail, fix), scriptURL};
}

function fixOf({url}: Extract<Failure, {code: 'back-end-failed'}>, scriptURL: string): string {
  const reason = 'a redirected sign-in loses its body';
  return new URL(url).host === new URL(scriptURL).host
    ? `Configure ${scriptURL} as scriptURL of the airline: ${reason}`
    : `Configure ${scriptURL} as scriptURL of the airline, if that host is yours: ${reason}`;
}

function judgeProbe(answer: BackEndResponse, tookMs: number): readonly Finding[] {
  try {
    const {apiVersion, name} = readProbe(answer);
    const named: Finding = CHECK.ok(`${name ?? 'it has no name'}, API ${apiVersion}, answered in ${tookMs} ms`);
    return [name === undefined ? {...named, level: 'warning', fix: NAME_FIX} : named, ...judgeForm(CHECK, answer)];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.advice !== undefined) return [findingOfCallFailure(CHECK.name, error)];
    return [{check: CHECK.name, level: 'problem', ...describeOther(answer)}];
  }
}

const NAME_FIX = 'Answer GET of the address with {"apiVersion": "1.0.3", "handler": "…"}';

/** Describes an answer that is not from a back end. */
function describeOther(answer: BackEndResponse): {readonly detail: string; readonly fix: string} {
  const {status} = answer;
  const detail = `it answers ${status} with ${describeBody(answer)}`;
  if (status === 401 || status === 403)
    return {detail, fix: 'Allow GET of the address without a session or a password'};
  if (status === 404)
    return {detail, fix: 'Check the path: it has to name the directory of the back end, as it is on the server'};
  if (status >= 500) return {detail, fix: 'Look into the error log of PHP: the back end fails before it answers'};
  return {
    detail,
    fix: 'Let the address name the back end, not the site of the airline: its GET answers {"apiVersion": "…", "handler": "…"}',
  };
}
