import type {SignIn} from '../../../core/domain/identity/identity.ts';
import {AppError} from '../../../core/failures/app-error.ts';
import {isObject} from '../../../core/json/members.ts';
import {cleanText} from '../clean-text.ts';
import {decodeWithoutSecrets, firstLineOf, readRetryAfterSeconds, titleOf, withoutTags} from './answer-text.ts';
import {type Diagnosis, diagnose, diagnoseFront, isDatabaseDown} from './diagnosis.ts';
import {type BackEndPilot, readBackEndPilot} from './pilot.ts';
import {isConfirmation, isRefusal, lacksPilot, messageIn} from './request/answer-body.ts';
import {type BackEndResponse, PARSED_BYTES_MAX} from './request/back-end-request.ts';
import {findRedirect} from './request/redirect.ts';

/** The version and the name of a back end, as its own answer has them. */
export interface BackEndProbe {
  readonly apiVersion: string;
  /** The kind of the back end, such as `phpvms7`: the member `handler` of its answer. */
  readonly name?: string | undefined;
}

/**
 * Reads the answer to the probe.
 *
 * @throws {AppError} `back-end-failed`.
 */
export function readProbe(answer: BackEndResponse): BackEndProbe {
  const {value} = readSuccess(answer);
  const {apiVersion: version, handler: named} = value;
  const apiVersion = typeof version === 'number' ? String(version) : version;
  const name = isObject(named) ? named['name'] : named;
  if (typeof apiVersion !== 'string') throw notABackEnd(answer, 'it answers with JSON that has no "apiVersion"');
  const clean = (text: string): string => cleanText(text, answer.secrets);
  return {apiVersion: clean(apiVersion), ...(typeof name === 'string' ? {name: clean(name)} : {})};
}

/**
 * Reads the answer to one of the calls that return a pilot.
 *
 * @param findOwnFailure Recognises the failures that only this call has.
 * @throws {AppError} What `findOwnFailure` returns; `account-broken`, `invalid-pilot`, and the failures of every call.
 */
export async function readPilotAnswer(
  answer: BackEndResponse,
  findOwnFailure: () => AppError | undefined,
): Promise<BackEndPilot> {
  const failure = findRedirect(answer) ?? findOwnFailure() ?? findBrokenAccount(answer);
  if (failure !== undefined) throw failure;
  const {url, status} = answer;
  const {json, value} = readSuccess(answer);
  if (value['session'] === null)
    throw new AppError(
      {code: 'account-broken', problem: NO_API_KEY, url, backEndStatus: status},
      {advice: CREATE_API_KEY},
    );
  const {data} = value;
  if (isObject(data) && 'session' in data && !('session' in value))
    throw new AppError({code: 'invalid-pilot', url, problems: [{path: '$.data', problem: IN_DATA}]});
  const reading = readBackEndPilot(json);
  if ('pilot' in reading) return reading.pilot;
  throw new AppError({code: 'invalid-pilot', url, problems: reading.problems});
}

/** phpVMS 7 uses the API key of the pilot as the session; pilots generate it themselves. */
const NO_API_KEY = 'the pilot has no API key there, which phpVMS 7 uses as the session';
const CREATE_API_KEY = 'Create an API key on the profile page of the airline’s site, then sign in again';

/** Laravel puts what it sends into `data`, unless it is told not to. */
const IN_DATA = 'has the pilot, which has to be the answer itself';

/** The user name and the password of a pilot. */
export type PilotCredentials = Pick<SignIn, 'username' | 'password'>;

/**
 * Recognises the refusal of a sign-in: wrong credentials, or a pilot who is not confirmed.
 *
 * @param name The name of the back end, if it is known.
 */
export function findRefusal(
  answer: BackEndResponse,
  {username, password}: PilotCredentials,
  name: string | undefined,
): AppError | undefined {
  const {url, status} = answer;
  const message = findMessage(answer);
  const displayedId = describeDisplayedId(username);
  const advice =
    describeBlank(password) ??
    displayedId ??
    describeReason(message) ??
    (name === 'phpvms5' ? OWN_PASSWORD : undefined);
  // Some back ends answer 400 to a displayed pilot id.
  const isWrong =
    status === 401 ||
    (status === 400 && displayedId !== undefined) ||
    isRefusedForm(answer) ||
    isRefusedSoftly(answer) ||
    isMessageOnly(answer);
  if (isWrong && isAboutPilot(answer)) return new AppError({code: 'wrong-credentials', url, ...message}, {advice});
  if (status === 409) return new AppError({code: 'pilot-not-confirmed', url, ...message});
  return undefined;
}

/** Statuses with which frameworks refuse a form: that of the sign-in has a user name and a password only. */
const FORM_STATUSES: ReadonlySet<number> = new Set([400, 403, 422]);

function isRefusedForm({status, body}: BackEndResponse): boolean {
  return FORM_STATUSES.has(status) && body.kind === 'object';
}

/** Returns false if something in front of the back end answers, or the back end without its database. */
function isAboutPilot(answer: BackEndResponse): boolean {
  return diagnoseFront(answer) === undefined && !isDatabaseDown(answer);
}

/** Advice for the pilots of phpVMS 5, who have no other way to sign in. */
const OWN_PASSWORD =
  'Check the user name and the password; pilots sign in with their number or e-mail address and the password of the airline’s site';

/** Returns whether a back end confirms a session without sending the pilot. */
export function isConfirmed({status, body}: BackEndResponse): boolean {
  return status === 204 || (status >= 200 && status <= 299 && isConfirmation(body));
}

/** Returns whether a back end offers the call that it answered. If not, there is no message about the session. */
export function isOffered(answer: BackEndResponse): boolean {
  const {status, path, body} = answer;
  if (![404, 405, 501].includes(status) || diagnoseFront(answer) !== undefined) return true;
  if (status !== 404) return false;
  const message = messageIn(body) ?? '';
  // Frameworks and small back ends name the status or the path of a call that they do not know.
  return !(NO_SUCH_CALL.test(message) || message.includes(path));
}

/** Messages of Slim, FastAPI, Laravel, WordPress and the like. That of an unknown session names a session, a user or a pilot. */
const NO_SUCH_CALL =
  /^\W*(?:(?:http )?404\W*)?(?:not found\W*)?$|\b(?:route|endpoint|resource|url)\b.*\bnot found|no route was found/i;

/** Recognises the refusal of a session. Back ends differ in the status: unknown, malformed or refused. */
export function findUnknownSession(answer: BackEndResponse): AppError | undefined {
  const {url, status} = answer;
  if (!([400, 401, 404].includes(status) || isRefusedSoftly(answer)) || !isAboutPilot(answer)) return undefined;
  return new AppError({code: 'session-unknown', url, ...findMessage(answer)});
}

/** Returns whether an answer is a message in place of a pilot, with the status of a success. It says nothing about a session. */
function isMessageOnly({status, body}: BackEndResponse): boolean {
  return status >= 200 && status <= 299 && lacksPilot(body);
}

/** Returns whether an answer is a refusal with a success status, as in back ends that airlines write themselves. */
export function isRefusedSoftly({status, body}: BackEndResponse): boolean {
  return status >= 200 && status <= 299 && isRefusal(body);
}

/** Recognises what the common back ends answer if an account makes them fail. */
function findBrokenAccount(answer: BackEndResponse): AppError | undefined {
  const {url, status, body} = answer;
  const broken = {code: 'account-broken', url, backEndStatus: status} as const;
  if (status === 500 && body.kind === 'empty') return new AppError(broken);
  // phpVMS 7: Laravel turns the warning of PHP into a failure.
  if (status < 500 || !/\bon (?:value of type )?null\b/.test(messageIn(body) ?? '')) return undefined;
  return new AppError({...broken, problem: 'the account lacks data that the back end needs', ...findMessage(answer)});
}

/** Airlines display pilot ids such as VMS0001; signing in takes the number in it. */
function describeDisplayedId(username: string): string | undefined {
  const number = /^[A-Za-z]{1,5}[ -]?0*([0-9]{1,12})$/.exec(username)?.[1];
  if (number === undefined) return undefined;
  return `${JSON.stringify(username)} looks like a displayed pilot id: try the bare number, ${JSON.stringify(number)}, or the e-mail address`;
}

/** Words of a message about the credentials, for which the usual advice is better than the message. */
const ABOUT_CREDENTIALS = /user|password|credential|e-?mail|log ?in/i;

/** Returns the message of a refusal as its advice, if the refusal has another reason than the credentials. */
function describeReason({message}: {readonly message?: string}): string | undefined {
  return message === undefined || ABOUT_CREDENTIALS.test(message) ? undefined : saying(message);
}

function saying(message: string): string {
  return `The airline says: ${JSON.stringify(message)}`;
}

/** A blank that was copied with a password is not seen when it is typed in. */
function describeBlank(password: string): string | undefined {
  if (password === password.trim()) return undefined;
  const place = password === password.trimEnd() ? 'begins' : 'ends';
  return `The password ${place} with a blank, which may have been copied with it: try it without`;
}

/** Returns the JSON object of a successful answer, and throws for any other answer. */
function readSuccess(answer: BackEndResponse) {
  const redirect = findRedirect(answer);
  if (redirect !== undefined) throw redirect;
  const {status, body} = answer;
  if (status === 404 && answer.path === LOGIN_PATH)
    throw failing(answer, {problem: `it has no ${LOGIN_PATH}`, ...findMessage(answer)}, NO_LOGIN_ADVICE);
  const diagnosis = diagnose(answer);
  if (diagnosis !== undefined) throw failureOf(diagnosis, answer);
  const isSuccess = status >= 200 && status <= 299;
  if (!('json' in body) && (isSuccess || status < 500)) throw notABackEnd(answer, describeContent(answer));
  if (!isSuccess) throw failed(answer);
  if (body.kind === 'object') return body;
  throw notABackEnd(answer, 'it answers with JSON that is not an object');
}

/** Path at which pilots sign in. */
export const LOGIN_PATH = 'pilot/login';

const NO_LOGIN_ADVICE =
  'The address is right: the web server of the airline has to lead pilot/login to its back end; .htaccess may be missing, or not be read (AllowOverride)';

function failureOf({stage, problem, advice}: Diagnosis, answer: BackEndResponse): AppError {
  if (stage === 'content') return notABackEnd(answer, problem, advice);
  // For a page the problem has its message already.
  const message = cleanText(messageIn(answer.body) ?? '', answer.secrets);
  return failing(answer, {problem, ...(message === '' ? {} : {message})}, advice);
}

function failed(answer: BackEndResponse): AppError {
  const found = findMessage(answer);
  // A call of a pilot that is refused on purpose, whose reason is in the message alone.
  const isReason = found.message !== undefined && answer.status < 500 && answer.path !== '';
  return failing(answer, found, isReason ? saying(found.message) : undefined);
}

function failing(
  answer: BackEndResponse,
  what: {readonly problem?: string; readonly message?: string},
  advice: string | undefined,
): AppError {
  const {url, status: backEndStatus} = answer;
  const stage = backEndStatus === 429 ? 'limit' : 'failure';
  return new AppError({code: 'back-end-failed', url, stage, backEndStatus, ...what, ...pauseOf(answer)}, {advice});
}

function pauseOf({headers}: BackEndResponse): {readonly retryAfterSeconds?: number} {
  const retryAfterSeconds = readRetryAfterSeconds(headers);
  return retryAfterSeconds === undefined ? {} : {retryAfterSeconds};
}

function notABackEnd(answer: BackEndResponse, problem: string, advice = adviseOnContent(answer)): AppError {
  const line = cleanText(firstLineOf(decode(answer)), []);
  const {url, status: backEndStatus} = answer;
  const firstLine = line === '' ? {} : {firstLine: line};
  return new AppError({code: 'back-end-failed', url, stage: 'content', backEndStatus, problem, ...firstLine}, {advice});
}

/** The calls of a pilot follow a probe, which recognised the address. */
function adviseOnContent({path}: BackEndResponse): string | undefined {
  return path === '' ? undefined : `The address is right: the airline has to answer ${path} with the pilot as JSON`;
}

function describeContent(answer: BackEndResponse): string {
  const {kind} = answer.body;
  if (kind === 'empty') return 'its answer is empty';
  if (kind === 'long') return `its answer is larger than ${PARSED_BYTES_MAX} bytes`;
  if (kind !== 'html') return 'its answer is not JSON in UTF-8';
  const title = cleanText(titleOf(decode(answer)) ?? '', []);
  return title === '' ? 'it answers with HTML' : `it answers with a page titled ${JSON.stringify(title)}`;
}

/** Finds the message of a failure where back ends and frameworks put it. */
function findMessage(answer: BackEndResponse): {readonly message?: string} {
  const {body, secrets} = answer;
  const isPage = body.kind === 'html' || body.kind === 'text' || body.kind === 'long';
  const text = isPage ? firstLineOf(plainText(decode(answer))) : (messageIn(body) ?? '');
  const message = cleanText(text, secrets);
  return message === '' ? {} : {message};
}

/** Returns what a person would read on an error page: its title, or else its text. */
function plainText(text: string): string {
  return titleOf(text) ?? withoutTags(text);
}

function decode({bytes, secrets}: BackEndResponse): string {
  return decodeWithoutSecrets(bytes, secrets);
}
