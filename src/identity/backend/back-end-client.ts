import {AppError} from '../../domain/failure.ts';
import type {JsonText} from '../../domain/json-text.ts';
import {type JsonObject, messageIn} from './answer-body.ts';
import {cleanText, decodeBeginning, firstLineOf, titleOf, withoutMarks} from './answer-text.ts';
import {type Diagnosis, diagnose, diagnoseFront} from './diagnosis.ts';
import {type BackEndAnswer, type BackEndRequest, type ExchangeDeps, exchange, PARSED_BYTES_MAX} from './exchange.ts';
import {type Pilot, readPilot} from './pilot.ts';
import {findBareAddress, findRedirect} from './redirect.ts';
import {readRetryAfterSeconds} from './retry-after.ts';

/** What a back end says of itself. */
export interface BackEndProbe {
  readonly apiVersion: string;
  /** Its kind, such as `phpvms7`: the member `handler` of the answer. */
  readonly name?: string | undefined;
}

/** What somebody signs in with. */
export interface Credentials {
  /** With an `@` an e-mail address, otherwise the number of the pilot. */
  readonly username: string;
  readonly password: string;
}

/** How a call is made. */
export interface BackEndCallOptions {
  /** Ends the call, which then throws its reason. */
  readonly signal?: AbortSignal | undefined;
  /** What else must not be shown, should the answer repeat it; what the call sends is never shown. */
  readonly secrets?: readonly string[] | undefined;
}

/**
 * Calls the back ends of airlines. Addresses end in a slash: see `readScriptUrl()`. Every call throws `back-end-unreachable`,
 * `back-end-timeout`, `back-end-redirect`, `not-a-back-end`, `back-end-failed` and `back-end-busy` besides what it names.
 */
export interface BackEndClient {
  /** Asks a back end what it is; sends no secret. */
  probe(scriptURL: string, options?: BackEndCallOptions): Promise<BackEndProbe>;
  /** @throws {AppError} `wrong-credentials`, `pilot-not-confirmed`, `account-broken`, `invalid-pilot`. */
  signIn(scriptURL: string, credentials: Credentials, options?: BackEndCallOptions): Promise<Pilot>;
  /**
   * Takes a session up again, which may give a new one.
   *
   * @returns Undefined where the back end does not know this call, or not this session: verifying tells.
   * @throws {AppError} `session-unknown` when it is refused; `account-broken`, `invalid-pilot`.
   */
  resume(scriptURL: string, session: string, options?: BackEndCallOptions): Promise<Pilot | undefined>;
  /** Asks whether a session is good. @throws {AppError} `session-unknown` when not; `account-broken`, `invalid-pilot`. */
  verify(scriptURL: string, session: string, options?: BackEndCallOptions): Promise<Pilot>;
  /** Any other request, with its answer whatever it is; a redirect is not followed. */
  send(request: BackEndRequest): Promise<BackEndAnswer>;
}

/** Makes a client for back ends. */
export function createBackEndClient(deps: ExchangeDeps): BackEndClient {
  const send: BackEndClient['send'] = request => exchange(request, deps);
  return {
    send,
    async probe(scriptURL, {signal, secrets} = {}) {
      const request = {path: '', method: 'GET', secrets, signal};
      const answer = await send({...request, scriptURL});
      const bare = findBareAddress(answer);
      return readProbe(bare === undefined ? answer : await send({...request, scriptURL: bare}));
    },
    async signIn(scriptURL, {username, password}, {signal} = {}) {
      const query = {username};
      const body = {password};
      const answer = await send({
        ...PILOT_CALL,
        scriptURL,
        path: 'pilot/login',
        query,
        body,
        secrets: [password],
        signal,
      });
      return readPilotAnswer(answer, () => findRefusal(answer, username));
    },
    async resume(scriptURL, session, {signal} = {}) {
      const answer = await sendSession('pilot/resume', {scriptURL, session, signal}, send);
      const isOffered = answer.status !== 404 && answer.status !== 405 && answer.status !== 501;
      return isOffered ? readPilotAnswer(answer, () => findUnknownSession(answer)) : undefined;
    },
    async verify(scriptURL, session, {signal} = {}) {
      const answer = await sendSession('pilot/verify', {scriptURL, session, signal}, send);
      return readPilotAnswer(answer, () => findUnknownSession(answer));
    },
  };
}

const PILOT_CALL = {method: 'POST'} as const;

interface SessionCall {
  readonly scriptURL: string;
  readonly session: string;
  readonly signal: AbortSignal | undefined;
}

function sendSession(path: string, call: SessionCall, send: BackEndClient['send']): Promise<BackEndAnswer> {
  const {scriptURL, session, signal} = call;
  return send({...PILOT_CALL, scriptURL, path, body: {session}, secrets: [session], signal});
}

/**
 * What a back end says of itself.
 *
 * @throws {AppError} `back-end-redirect`, `not-a-back-end`, `back-end-failed`.
 */
export function readProbe(answer: BackEndAnswer): BackEndProbe {
  const {value} = readSuccess(answer);
  const {apiVersion, handler: name} = value;
  if (typeof apiVersion !== 'string')
    throw notABackEnd(answer, {problem: 'it answers with JSON that has no "apiVersion"'});
  const clean = (text: string): string => cleanText(text, answer.secrets);
  return {apiVersion: clean(apiVersion), ...(typeof name === 'string' ? {name: clean(name)} : {})};
}

async function readPilotAnswer(answer: BackEndAnswer, findOwnFailure: () => AppError | undefined): Promise<Pilot> {
  const failure = findRedirect(answer) ?? findOwnFailure() ?? findBrokenAccount(answer);
  if (failure !== undefined) throw failure;
  const {url, status} = answer;
  const {json, value} = readSuccess(answer);
  if (value['session'] === null)
    throw new AppError({code: 'account-broken', ...NO_API_KEY, url, backEndStatus: status});
  const reading = await readPilot(json);
  if ('pilot' in reading) return reading.pilot;
  throw new AppError({code: 'invalid-pilot', url, problems: reading.problems});
}

/** phpVMS 7 has the API key for a session, and pilots make it themselves. */
const NO_API_KEY = {
  problem: 'the pilot has no API key there, which is what it gives for a session',
  hint: 'Make an API key on the profile page of the airline’s site, then sign in again',
} as const;

/** Why a back end lets nobody in. */
function findRefusal(answer: BackEndAnswer, username: string): AppError | undefined {
  const {url, status} = answer;
  const message = findMessage(answer);
  const hint = describeDisplayedId(username);
  // Some answer a displayed pilot id as one that is mistyped.
  const isWrong = status === 401 || (status === 400 && hint !== undefined);
  if (isWrong && diagnoseFront(answer) === undefined)
    return new AppError({code: 'wrong-credentials', url, ...message, ...(hint === undefined ? {} : {hint})});
  if (status === 409) return new AppError({code: 'pilot-not-confirmed', url, ...message});
  return undefined;
}

/** A session that a back end does not know, cannot read or refuses: which one it says differs between back ends. */
function findUnknownSession(answer: BackEndAnswer): AppError | undefined {
  const {url, status} = answer;
  if (![400, 401, 404].includes(status) || diagnoseFront(answer) !== undefined) return undefined;
  return new AppError({code: 'session-unknown', url, ...findMessage(answer)});
}

/** What the common back ends answer for pilots whose account they stumble over. */
function findBrokenAccount(answer: BackEndAnswer): AppError | undefined {
  const {url, status, body} = answer;
  const broken = {code: 'account-broken', url, backEndStatus: status} as const;
  if (status === 500 && body.kind === 'empty') return new AppError(broken);
  // phpVMS 7: Laravel makes a failure of the warning of PHP.
  if (status < 500 || !/\bon (?:value of type )?null\b/.test(messageIn(body) ?? '')) return undefined;
  return new AppError({...broken, problem: 'it misses something in the account', ...findMessage(answer)});
}

/** Airlines display ids such as VMS0001, and sign-in takes the number in it. */
function describeDisplayedId(username: string): string | undefined {
  const number = /^[A-Za-z]{1,5}[ -]?0*([0-9]{1,12})$/.exec(username)?.[1];
  if (number === undefined) return undefined;
  return `${JSON.stringify(username)} looks like a displayed pilot id: try the bare number, ${JSON.stringify(number)}, or the e-mail address`;
}

interface Success {
  readonly json: JsonText;
  readonly value: JsonObject;
}

/** The JSON object of an answer that is neither a failure nor a redirect. */
function readSuccess(answer: BackEndAnswer): Success {
  const redirect = findRedirect(answer);
  if (redirect !== undefined) throw redirect;
  const {status, body} = answer;
  const diagnosis = diagnose(answer);
  if (diagnosis !== undefined) throw failureOf(diagnosis, answer);
  const isSuccess = status >= 200 && status <= 299;
  if (!('json' in body) && (isSuccess || status < 500)) throw notABackEnd(answer, {problem: describeContent(answer)});
  if (!isSuccess) throw failed(answer);
  if (body.kind === 'object') return body;
  throw notABackEnd(answer, {problem: 'it answers with JSON that is no object'});
}

function failureOf({code, problem, hint}: Diagnosis, answer: BackEndAnswer): AppError {
  if (code === 'not-a-back-end') return notABackEnd(answer, {problem, hint});
  const {url, status, body} = answer;
  // A page has said what it is in the problem already.
  const message = cleanText(messageIn(body) ?? '', answer.secrets);
  const what = {problem, ...(message === '' ? {} : {message}), hint, ...pauseOf(answer)};
  return new AppError({code: status === 429 ? 'back-end-busy' : code, url, backEndStatus: status, ...what});
}

function failed(answer: BackEndAnswer): AppError {
  const what = {...findMessage(answer), ...pauseOf(answer)};
  return new AppError({code: 'back-end-failed', url: answer.url, backEndStatus: answer.status, ...what});
}

function pauseOf({headers}: BackEndAnswer): {readonly retryAfterSeconds?: number} {
  const retryAfterSeconds = readRetryAfterSeconds(headers);
  return retryAfterSeconds === undefined ? {} : {retryAfterSeconds};
}

function notABackEnd(answer: BackEndAnswer, what: {readonly problem: string; readonly hint?: string}): AppError {
  const firstLine = cleanText(firstLineOf(decode(answer)), []);
  const {url, status: backEndStatus} = answer;
  return new AppError({code: 'not-a-back-end', url, backEndStatus, ...what, ...(firstLine === '' ? {} : {firstLine})});
}

function describeContent(answer: BackEndAnswer): string {
  const {kind} = answer.body;
  if (kind === 'empty') return 'its answer is empty';
  if (kind === 'long') return `its answer is larger than ${PARSED_BYTES_MAX} bytes`;
  if (kind !== 'html') return 'its answer is not JSON in UTF-8';
  const title = cleanText(titleOf(decode(answer)) ?? '', []);
  return title === '' ? 'it answers with HTML' : `it answers with a page titled ${JSON.stringify(title)}`;
}

/** What a failure says, where the back ends and frameworks out there put it. */
function findMessage(answer: BackEndAnswer): {readonly message?: string} {
  const {body, secrets} = answer;
  const isPage = body.kind === 'html' || body.kind === 'text' || body.kind === 'long';
  const text = isPage ? firstLineOf(plainText(decode(answer))) : (messageIn(body) ?? '');
  const message = cleanText(text, secrets);
  return message === '' ? {} : {message};
}

/** What people would read of an error page: its title, or its text without the marks. */
function plainText(text: string): string {
  return titleOf(text) ?? withoutMarks(text);
}

/** The beginning of an answer, without the secrets that were sent, before anything is taken out of it. */
function decode({bytes, secrets}: BackEndAnswer): string {
  return decodeBeginning(bytes, secrets);
}
