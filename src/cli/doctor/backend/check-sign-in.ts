import {AppError} from '../../../core/failures/app-error.ts';
import type {AnyFailure, FailureCode} from '../../../core/failures/failure.ts';
import {describeProblem} from '../../../core/failures/members/problems.ts';
import {type BackEndPilot, findDeviations, readExpirySeconds} from '../../../service/identity/backend/pilot.ts';
import type {BackEndProbe, PilotCredentials} from '../../../service/identity/backend/pilot-answer.ts';
import {type Finding, type Findings, NamedCheck} from '../finding.ts';
import {findingOfCallFailure, type WalkContext} from './call-findings.ts';
import {checkRead} from './check-read.ts';

/** The back end to sign in to, with the credentials of a pilot. */
export interface SignInContext extends WalkContext {
  readonly credentials: PilotCredentials;
  /** Its answer to the probe. */
  readonly backEnd: BackEndProbe;
}

const SIGN_IN = new NamedCheck('Sign in');
const SESSION = new NamedCheck('Session');
const VERIFY = new NamedCheck('Verify');
const RESUME = new NamedCheck('Resume');

/** Findings for a sign-in that was skipped. */
export const SIGN_IN_NOT_TRIED = {
  withoutCredentials: SESSION.skipped(
    'not tried without credentials',
    'Add --username and --password-file to sign in, verify, resume and read, preferably with a test pilot',
  ),
  unprotected: SESSION.skipped(
    'not tried: others on the network could read the password',
    'Run the command again with the https:// address, or with --allow-plain-http if you trust the network',
  ),
  elsewhere: SESSION.skipped(
    'not tried: the password is sent to the given address only',
    'Run the command again with the address to configure',
  ),
} as const satisfies Record<string, Finding>;

/** Checks a whole session: signs in, verifies, resumes, and reads with it. */
export async function* checkSignIn(place: SignInContext): Findings {
  const {scriptURL, client, credentials, backEnd, nowMs} = place;
  let pilot: BackEndPilot;
  try {
    pilot = await client.signIn(scriptURL, credentials, {backEnd});
  } catch (error) {
    return yield findingsOfRefusal(SIGN_IN, error);
  }
  yield [...judgePilot(pilot), judgeEnd(pilot, nowMs())];
  const verified = await checkCall('verify', pilot, place);
  yield verified.findings;
  const resumed = await checkCall('resume', verified.pilot ?? pilot, place);
  yield resumed.findings;
  // With an invalid session, a refusal would not show if the header is lost.
  if (resumed.pilot === undefined) yield [NOT_READ];
  else yield await checkRead(resumed.pilot, place);
}

/** Warns of members that plugins may not expect. */
function judgePilot({json, summary}: BackEndPilot): readonly Finding[] {
  const deviations = findDeviations(json);
  if (deviations.length === 0) return [SIGN_IN.ok(summary)];
  return deviations.map(deviation =>
    SIGN_IN.warning(
      `${summary} is signed in, and the pilot has a defect: ${describeProblem(deviation)}`,
      'Answer with each member in its type, null where it has no value: plugins get the pilot as it is; see "The pilot" in docs/back-ends.md of Crewroom',
    ),
  );
}

/** Result of a call about the session: the pilot with the valid session, if there is one. */
interface SessionCheck {
  readonly findings: readonly Finding[];
  readonly pilot: BackEndPilot | undefined;
}

const NOT_READ: Finding = new NamedCheck('Read').skipped(
  'not tried without a valid session',
  'Fix the steps above first',
);

const HOUR_SECONDS = 60 * 60;

/** Lifetime above which an `expiry` must be in milliseconds, in seconds: about 100 years. */
const FAR_SECONDS = 100 * 366 * 24 * HOUR_SECONDS;

/** Judges the end of the session. */
function judgeEnd(pilot: BackEndPilot, nowMs: number): Finding {
  const end = readExpirySeconds(pilot);
  if (end === undefined) return SESSION.ok('its end is unknown, so it is verified regularly');
  const leftSeconds = Math.round(end - nowMs / 1000);
  if (leftSeconds > FAR_SECONDS)
    return SESSION.warning(
      `it ends in ${Math.floor(leftSeconds / FAR_SECONDS) * 100} years: its "expiry" may be in milliseconds`,
      'Give "expiry" in seconds since 1970, in PHP with time()',
    );
  // What lies before 1970 is wrong by any clock, and may be no time that can be written.
  const until = new Date(Math.max(0, end) * 1000).toISOString().replace(/:\d\d\.\d+Z$/, 'Z');
  if (leftSeconds >= HOUR_SECONDS) return SESSION.ok(`valid until ${until}`);
  const fix = 'Let sessions last some days, and check the clock of the server: a flight takes hours';
  return leftSeconds <= 0
    ? SESSION.problem(`it has ended before it began, at ${until}`, fix)
    : SESSION.warning(`it ends soon, at ${until}`, fix);
}

/** Verifies or resumes the session of a pilot. */
async function checkCall(
  call: 'verify' | 'resume',
  pilot: BackEndPilot,
  {scriptURL, client}: SignInContext,
): Promise<SessionCheck> {
  const {check, judge} = CALLS[call];
  try {
    const answer = await client[call](scriptURL, pilot.session);
    return {findings: [judge(answer, pilot)], pilot: answer ?? pilot};
  } catch (error) {
    return {findings: findingsOfRefusal(check, error), pilot: undefined};
  }
}

const CALLS = {verify: {check: VERIFY, judge: judgeVerified}, resume: {check: RESUME, judge: judgeResumed}} as const;

function judgeVerified(verified: BackEndPilot | undefined, pilot: BackEndPilot): Finding {
  if (verified === undefined) return {check: VERIFY.name, ...VERIFY_NOT_OFFERED};
  if (verified.summary !== pilot.summary)
    return VERIFY.problem(
      `it is the session of another pilot: ${verified.summary}`,
      'Look up the pilot by the session in the request only',
    );
  if (verified.session !== pilot.session)
    return VERIFY.warning(
      'it answers with another session than that of the request',
      'Let pilot/verify answer with the session of the request; only pilot/resume returns a new one',
    );
  return VERIFY.ok('the session is valid');
}

function judgeResumed(resumed: BackEndPilot | undefined, pilot: BackEndPilot): Finding {
  if (resumed === undefined)
    return RESUME.warning(
      'it is not supported, so pilots sign in again when their session ends',
      'Answer POST pilot/resume with the pilot and a session that lasts longer',
    );
  return RESUME.ok(resumed.session === pilot.session ? 'the session stays the same' : 'a new session replaces it');
}

/** Advice for operators of a back end; the advice of the failures is for pilots. */
const FIXES: {readonly [C in FailureCode]?: string} = {
  'wrong-credentials':
    'Check the user name and the password; a pilot who signed up through Discord or VATSIM gives the API key of the profile page as the password',
  'pilot-not-confirmed': 'Confirm the pilot in the administration of the airline, or take another one',
  'account-broken':
    'Give the account a rank and an airline, and check if it is retired; the error log of PHP or of the framework has the line',
  'session-unknown':
    'Keep the session that the sign-in returned: another sign-in of the same pilot, or an emptied table, ends it',
  'invalid-pilot': 'Answer with each member in its type; see "The pilot" in docs/back-ends.md of Crewroom',
};

/** Judgement of a back end without `pilot/verify`. */
export const VERIFY_NOT_OFFERED = {
  level: 'warning',
  detail:
    'it is not offered, or answers without the pilot, so programs may use a session that the airline ended until its own end',
  fix: 'Answer POST pilot/verify with the pilot, and with 401 and {"message": "…"} for a session that is not valid',
} as const satisfies Omit<Finding, 'check'>;

/** Turns a refused sign-in or session into one finding for each problem. @throws Any error that is not a failure. */
function findingsOfRefusal(check: NamedCheck, error: unknown): readonly Finding[] {
  if (!(error instanceof AppError)) throw error;
  const {failure} = error;
  if (failure === undefined) throw error;
  const fix = error.advice ?? FIXES[failure.code];
  if (fix === undefined || FIXES[failure.code] === undefined) return [findingOfCallFailure(check.name, error)];
  return detailsOf(failure).map(detail => check.problem(detail, fix));
}

function detailsOf(failure: AnyFailure): readonly string[] {
  switch (failure.code) {
    case 'wrong-credentials':
      return [`the user name or the password is refused${said(failure)}`];
    case 'pilot-not-confirmed':
      return [`the pilot is not confirmed yet${said(failure)}`];
    case 'account-broken':
      return [
        `${failure.problem ?? 'it returned an empty response for this pilot'} (${failure.backEndStatus})${said(failure)}`,
      ];
    case 'session-unknown':
      return [`the session is refused${said(failure)}`];
    case 'invalid-pilot':
      return failure.problems.map(problem => `the pilot: ${describeProblem(problem)}`);
    default:
      return [failure.code];
  }
}

function said({message}: {readonly message?: string}): string {
  return message === undefined ? '' : `: ${JSON.stringify(message)}`;
}
