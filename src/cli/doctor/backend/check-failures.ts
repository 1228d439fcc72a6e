import {readRetryAfterSeconds} from '../../../service/identity/backend/answer-text.ts';
import {type Diagnosis, diagnose} from '../../../service/identity/backend/diagnosis.ts';
import {isOffered, isRefusedSoftly} from '../../../service/identity/backend/pilot-answer.ts';
import type {BackEndCall, BackEndResponse} from '../../../service/identity/backend/request/back-end-request.ts';
import {findRedirect} from '../../../service/identity/backend/request/redirect.ts';
import type {Finding, FindingLevel, Findings} from '../finding.ts';
import {describeBody, failureMessageOf, findingOfCallFailure, type WalkContext} from './call-findings.ts';
import {VERIFY_NOT_OFFERED} from './check-sign-in.ts';

/** User name that no pilot has, in a reserved domain (RFC 2606): wrong passwords might lock out a real pilot. */
const USERNAME = 'crewroom-doctor@example.invalid';

/** Password and session that no pilot has. */
const PASSWORD = 'crewroom-doctor-wrong-password';
const SESSION = 'crewroom-doctor-unknown-session';

/** A request that is wrong on purpose, and the expected refusal. */
interface Mistake {
  readonly check: string;
  readonly request: Omit<BackEndCall, 'scriptURL'>;
  /** The accepted statuses; the first one is the usual one. */
  readonly statuses: readonly number[];
  /** Level of a finding for any other status: some only result in a poorer message for the pilot. */
  readonly level: FindingLevel;
  readonly fix: string;
  /** Advice for certain other statuses. */
  readonly fixes?: Readonly<Record<number, string>>;
}

const LOGIN = 'pilot/login';
const VERIFY = 'pilot/verify';

const NO_PATH_FIX =
  'Check that the rewrite rules of the web server lead pilot/login to the back end: .htaccess may be missing, or not be read (AllowOverride)';

const MISTAKES: readonly Mistake[] = [
  {
    check: 'Wrong password',
    request: {
      method: 'POST',
      path: LOGIN,
      query: {username: USERNAME},
      body: {password: PASSWORD},
      secrets: [PASSWORD],
    },
    statuses: [401],
    level: 'problem',
    fix: 'Answer 401 with {"message": "…"} to a user name or a password that is wrong',
    fixes: {
      400: 'Read the body as JSON, in PHP with json_decode(file_get_contents("php://input"), true): $_POST does not contain it',
      404: NO_PATH_FIX,
      405: 'Let POST pass to the back end: it arrives as another method, probably after a redirect on the server',
      415: 'Accept a body of the type application/json',
    },
  },
  {
    check: 'No password',
    request: {method: 'POST', path: LOGIN, query: {username: USERNAME}, body: {}},
    // phpVMS 7 looks up the pilot first.
    statuses: [400, 401],
    level: 'warning',
    fix: 'Answer 400 with {"message": "…"} when a member is missing or mistyped',
  },
  {
    check: 'Wrong method',
    request: {method: 'GET', path: LOGIN, query: {username: USERNAME}},
    statuses: [405],
    level: 'warning',
    fix: 'Answer 405 with {"message": "…"} to any method but POST: a redirected sign-in arrives as GET',
  },
  {
    check: 'Unknown session',
    request: {method: 'POST', path: VERIFY, body: {session: SESSION}, secrets: [SESSION]},
    statuses: [401, 404, 400],
    level: 'warning',
    fix: 'Answer 401 with {"message": "…"} to a session that is not known',
  },
];

/** Delay before each request that is wrong on purpose, in milliseconds: a burst of them looks like an attack. */
export const PACE_MS = 1000;

/** Longest wait for a back end that limits requests, in milliseconds: most limits are per minute. */
const RETRY_AFTER_MAX_MS = 60_000;

/**
 * Checks how a back end refuses wrong requests, one per step, until the back end answers 429.
 *
 * @param signsIn True if a sign-in follows: it must not come too soon after them.
 */
export async function* checkFailures(place: WalkContext, signsIn: boolean): Findings {
  let waitMs: number | undefined;
  for (const mistake of MISTAKES) {
    if (waitMs !== undefined) {
      yield [{check: mistake.check, ...NOT_TRIED}];
      continue;
    }
    await place.pause(PACE_MS);
    const {finding, retryAfterMs} = await checkMistake(mistake, place);
    waitMs = retryAfterMs;
    yield [finding];
  }
  if (signsIn) await place.pause(Math.max(PACE_MS, Math.min(waitMs ?? 0, RETRY_AFTER_MAX_MS)));
}

const NOT_TRIED = {
  level: 'skipped',
  detail: 'not tried: it accepts no more requests for now',
  fix: 'Run the command again later',
} as const satisfies Omit<Finding, 'check'>;

interface Checked {
  readonly finding: Finding;
  /** The wait that the back end asked for; undefined unless it answered 429. */
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
    // Only a warning: a rate limit is good, and a sign-in may still work.
    return {finding: {...finding, level: 'warning'}, retryAfterMs};
  } catch (error) {
    return {finding: findingOfCallFailure(check, error)};
  }
}

type Judgement = Omit<Finding, 'check'>;

function judge(answer: BackEndResponse, mistake: Mistake): Judgement {
  const {status} = answer;
  const diagnosis = diagnose(answer);
  if (diagnosis !== undefined) return describeDiagnosis(diagnosis, answer, mistake);
  if (mistake.request.path === VERIFY && !isOffered(answer)) return VERIFY_NOT_OFFERED;
  if (status >= 200 && status <= 299) return describeAcceptance(answer, mistake);
  if (!mistake.statuses.includes(status)) {
    const fix = mistake.fixes?.[status] ?? (status >= 500 ? describeNetworkTrouble(answer) : mistake.fix);
    const detail = `it is refused with ${status} (${describeBody(answer)}), not with ${mistake.statuses[0]}`;
    return {level: status >= 500 ? 'problem' : mistake.level, detail, fix};
  }
  return judgeShape(answer);
}

/** Text before the JSON breaks every client; a server in front of the back end may pass correct requests. */
function describeDiagnosis({stage, problem, advice}: Diagnosis, answer: BackEndResponse, {level}: Mistake): Judgement {
  const message = failureMessageOf(answer);
  const said = message === undefined ? '' : `: ${JSON.stringify(message)}`;
  return {
    level: stage === 'failure' ? 'problem' : level,
    detail: `${problem} (${answer.status})${said}`,
    fix: advice,
  };
}

function describeAcceptance(answer: BackEndResponse, {request, statuses, fix}: Mistake): Judgement {
  const {body} = answer;
  if (request.path === LOGIN && body.kind === 'object' && 'session' in body.value)
    return {
      level: 'problem',
      detail: 'it signs in without the right password',
      fix: 'Take the back end offline until it checks passwords',
    };
  // Clients understand such a refusal by its message.
  const level = statuses.includes(401) && !isRefusedSoftly(answer) ? 'problem' : 'warning';
  return {
    level,
    detail: `it is answered with ${answer.status}, as if it were correct, and ${describeBody(answer)}`,
    fix,
  };
}

function describeNetworkTrouble(answer: BackEndResponse): string {
  return answer.body.kind === 'empty'
    ? 'Look into the error log of PHP: it failed without a message, so messages are turned off'
    : 'Look into the error log of PHP, or of the framework (storage/logs)';
}

function judgeShape(answer: BackEndResponse): Judgement {
  const {status} = answer;
  const message = failureMessageOf(answer);
  if (message !== undefined) return {level: 'ok', detail: `${status}, ${JSON.stringify(message)}`};
  return {
    level: 'warning',
    detail: `it is refused with ${status}, and ${describeBody(answer)} instead of a message`,
    fix: 'Answer {"message": "…"} in JSON, also for answers of the framework: pilots see the message',
  };
}
