import {AppError} from '../../../core/failures/app-error.ts';
import type {Failure} from '../../../core/failures/failure.ts';
import {readProbe} from '../../../service/identity/backend/pilot-answer.ts';
import type {BackEndResponse} from '../../../service/identity/backend/request/back-end-request.ts';
import {findBareAddress, findRedirect} from '../../../service/identity/backend/request/redirect.ts';
import {type Finding, NamedCheck} from '../finding.ts';
import {describeBody, findingOfCallFailure, judgeForm, type WalkContext} from './call-findings.ts';

/** Maximum number of redirects that are followed. Browsers follow 20; a real site needs at most two. */
const REDIRECTS_MAX = 5;

const REDIRECT = new NamedCheck('Redirects');
const CHECK = new NamedCheck('Back end');

/**
 * Checks which back end is at the address. Sends no secret.
 *
 * @returns Also the address to continue with, after redirects; undefined if there is no back end.
 */
export async function checkProbe(scriptURL: string, deps: Pick<WalkContext, 'client' | 'elapsedMs'>) {
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
