import type {BackEndAnswer, BackEndRequest} from '../../identity/backend/back-end-request.ts';
import {type Diagnosis, diagnose} from '../../identity/backend/diagnosis.ts';
import {findRedirect} from '../../identity/backend/redirect.ts';
import {readRetryAfterSeconds} from '../../identity/backend/retry-after.ts';
import type {Finding, FindingLevel, Steps} from '../finding.ts';
import {describeBody, failureMessageOf} from './body-description.ts';
import {findingOfCallFailure} from './call-failure.ts';
import type {WalkContext} from './walk-context.ts';

/** An address that nobody has: the domain is reserved (RFC 2606). A real pilot might be locked out by a wrong password. */
const NOBODY = 'crewroom-doctor@example.invalid';

/** Nobody's password, and nobody's session. */
const PASSWORD = 'crewroom-doctor-wrong-password';
const SESSION = 'crewroom-doctor-unknown-session';

/** A request that is wrong on purpose, and how a back end should refuse it. */
interface Mistake {
  readonly check: string;
  readonly request: Omit<BackEndRequest, 'scriptURL'>;
  /** The statuses that are right; the first one is the usual. */
  readonly statuses: readonly number[];
  /** How bad another status is: without some of them pilots only get poorer words. */
  readonly level: FindingLevel;
  readonly fix: string;
  /** What certain other statuses tell. */
  readonly fixes?: Readonly<Record<number, string>>;
}

const LOGIN = 'pilot/login';

const NO_PATH_FIX =
  'Check that the rewrite rules of the web server lead pilot/login to the back end: .htaccess may be missing, or not be read (AllowOverride)';

const MISTAKES: readonly Mistake[] = [
  {
    check: 'Wrong password',
    request: {method: 'POST', path: LOGIN, query: {username: NOBODY}, body: {password: PASSWORD}, secrets: [PASSWORD]},
    statuses: [401],
    level: 'problem',
    fix: 'Answer 401 with {"message": "…"} to a user name or a password that is wrong',
    fixes: {
      400: 'Read the body as JSON, in PHP with json_decode(file_get_contents("php://input"), true): $_POST does not hold it',
      404: NO_PATH_FIX,
      405: 'Let POST through to the back end: it arrives as another method, which a redirect on the server does',
      415: 'Take a body of the type application/json',
      419: 'Take the routes of the back end out of the protection against forged forms (CSRF): programs have no token',
    },
  },
  {
    check: 'No password',
    request: {method: 'POST', path: LOGIN, query: {username: NOBODY}, body: {}},
    // phpVMS 7 looks for the pilot first.
    statuses: [400, 401],
    level: 'warning',
    fix: 'Answer 400 with {"message": "…"} when a member is missing or mistyped',
  },
  {
    check: 'Wrong method',
    request: {method: 'GET', path: LOGIN, query: {username: NOBODY}},
    statuses: [405],
    level: 'warning',
    fix: 'Answer 405 with {"message": "…"} to any method but POST: a redirected sign-in arrives as GET, and should be told so',
  },
  {
    check: 'Unknown session',
    request: {method: 'POST', path: 'pilot/verify', body: {session: SESSION}, secrets: [SESSION]},
    statuses: [401, 404, 400],
    level: 'warning',
    fix: 'Answer 401 with {"message": "…"} to a session that is not known',
  },
];

/** How long to wait before each request that is wrong on purpose, in milliseconds: a burst of them looks like an attack. */
export const PACE_MS = 1000;

/** Longest wait for a back end that wants to be left alone, in milliseconds: a minute is what most of them count by. */
const LEAVE_ALONE_MAX_MS = 60_000;

/** Looks at how a back end refuses what is wrong: each step asks one thing, until the back end wants to be left alone. */
export async function* checkFailures(place: WalkContext): Steps {
  let leaveAloneMs: number | undefined;
  for (const mistake of MISTAKES) {
    if (leaveAloneMs !== undefined) {
      yield [{check: mistake.check, ...NOT_TRIED}];
      continue;
    }
    await place.pause(PACE_MS);
    const {finding, retryAfterMs} = await checkMistake(mistake, place);
    leaveAloneMs = retryAfterMs;
    yield [finding];
  }
  // The sign-in that follows must not count as one of them.
  await place.pause(Math.max(PACE_MS, Math.min(leaveAloneMs ?? 0, LEAVE_ALONE_MAX_MS)));
}

const NOT_TRIED = {
  level: 'skipped',
  detail: 'not tried: it takes no more requests for now',
  fix: 'Run it again later',
} as const satisfies Omit<Finding, 'check'>;

interface Checked {
  readonly finding: Finding;
  /** How long the back end wants to be left alone. */
  readonly retryAfterMs?: number;
}

async function checkMistake(mistake: Mistake, {scriptURL, client}: WalkContext): Promise<Checked> {
  const {check} = mistake;
  try {
    const answer = await client.send({...mistake.request, scriptURL});
    const redirect = findRedirect(answer);
    if (redirect !== undefined) return {finding: findingOfCallFailure(check, redirect)};
    const finding = {check, ...judge(answer, mistake)};
    if (answer.status !== 429) return {finding};
    const retryAfterMs = (readRetryAfterSeconds(answer.headers) ?? 0) * 1000;
    // That it counts is well; a sign-in may go through all the same.
    return {finding: {...finding, level: 'warning'}, retryAfterMs};
  } catch (error) {
    return {finding: findingOfCallFailure(check, error)};
  }
}

type Judgement = Omit<Finding, 'check'>;

function judge(answer: BackEndAnswer, mistake: Mistake): Judgement {
  const {status} = answer;
  const diagnosis = diagnose(answer);
  if (diagnosis !== undefined) return describeDiagnosis(diagnosis, answer, mistake);
  if (status >= 200 && status <= 299) return describeAcceptance(answer, mistake);
  if (!mistake.statuses.includes(status)) {
    const fix = mistake.fixes?.[status] ?? (status >= 500 ? describeTrouble(answer) : mistake.fix);
    const detail = `it is refused with ${status} (${describeBody(answer)}), not with ${mistake.statuses[0]}`;
    return {level: status >= 500 ? 'problem' : mistake.level, detail, fix};
  }
  return judgeShape(answer);
}

/** Text before JSON breaks whatever reads it; what stands in front may let through what is not wrong. */
function describeDiagnosis({code, problem, hint}: Diagnosis, answer: BackEndAnswer, {level}: Mistake): Judgement {
  const message = failureMessageOf(answer);
  const said = message === undefined ? '' : `: ${JSON.stringify(message)}`;
  return {
    level: code === 'back-end-failed' ? 'problem' : level,
    detail: `${problem} (${answer.status})${said}`,
    fix: hint,
  };
}

function describeAcceptance(answer: BackEndAnswer, {request, statuses, fix}: Mistake): Judgement {
  const {body} = answer;
  if (request.path === LOGIN && body.kind === 'object' && 'session' in body.value)
    return {
      level: 'problem',
      detail: 'it signs anybody in',
      fix: 'Take the back end off the net until it checks passwords',
    };
  const level = statuses.includes(401) ? 'problem' : 'warning';
  return {level, detail: `it is answered ${answer.status}, as if all were well, with ${describeBody(answer)}`, fix};
}

function describeTrouble(answer: BackEndAnswer): string {
  return answer.body.kind === 'empty'
    ? 'Look into the error log of PHP: it ended without a word, so its messages are turned off'
    : 'Look into the error log of PHP, or of the framework (storage/logs)';
}

function judgeShape(answer: BackEndAnswer): Judgement {
  const {status} = answer;
  const message = failureMessageOf(answer);
  if (message !== undefined) return {level: 'ok', detail: `${status}, ${JSON.stringify(message)}`};
  return {
    level: 'warning',
    detail: `it is refused with ${status}, and ${describeBody(answer)} in place of a message`,
    fix: 'Answer {"message": "…"} in JSON, also where the framework answers by itself: pilots are shown the message',
  };
}
