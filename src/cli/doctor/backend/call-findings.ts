import {AppError} from '../../../core/failures/app-error.ts';
import {adviseOnError} from '../../../core/failures/facts.ts';
import type {Failure} from '../../../core/failures/failure.ts';
import {decodeWithoutSecrets, firstLineOf, titleOf} from '../../../service/identity/backend/answer-text.ts';
import type {BackEndClient} from '../../../service/identity/backend/back-end-client.ts';
import {messageIn} from '../../../service/identity/backend/request/answer-body.ts';
import type {BackEndResponse} from '../../../service/identity/backend/request/back-end-request.ts';
import {cleanText} from '../../../service/identity/clean-text.ts';
import type {CliContext} from '../../terminal/context.ts';
import type {Finding, NamedCheck} from '../finding.ts';

export interface WalkDeps extends Pick<CliContext, 'nowMs' | 'elapsedMs' | 'pause' | 'fetch'> {
  /** Timeout for one answer, in milliseconds. @default {BACK_END_TIMEOUT_MS} */
  readonly timeoutMs?: number | undefined;
  /** True to send the password and the session also over plain `http` to another machine. @default {false} */
  readonly allowPlainHttp?: boolean | undefined;
  /** Called before each request, with its method and address. */
  readonly onStep?: (step: string) => void;
}

/** The back end that the checks of a walk call. */
export interface WalkContext extends Pick<WalkDeps, 'nowMs' | 'elapsedMs' | 'pause'> {
  readonly scriptURL: string;
  readonly client: BackEndClient;
}

/** Turns the failure of a call into a finding. @throws Any error that is not a failure. */
export function findingOfCallFailure(check: string, error: unknown): Finding {
  if (!(error instanceof AppError)) throw error;
  const {failure, message, advice} = error;
  const detail = failure?.code === 'back-end-failed' ? detailOf(failure) : message;
  const fix = failure?.code === 'back-end-failed' ? FIXES[failure.stage] : undefined;
  return {check, level: 'problem', detail, fix: advice ?? fix ?? adviseOnError(error)};
}

function detailOf({
  stage,
  problem,
  timeoutMs = 0,
  backEndStatus,
  target,
  message,
}: Extract<Failure, {code: 'back-end-failed'}>): string {
  if (stage === 'timeout') return `no complete answer within ${timeoutMs / 1000} seconds`;
  if (stage === 'redirect') return `${problem}, ${target}`;
  if (backEndStatus === undefined) return problem ?? '';
  const what = problem === undefined ? `it fails with ${backEndStatus}` : `${problem} (${backEndStatus})`;
  return message === undefined ? what : `${what}: ${JSON.stringify(message)}`;
}

/** Fix for a certificate that clients refuse, seen without a look at the certificate itself: behind a redirect. */
const TLS_FIX =
  'Look at the certificate of that host: run the command again with its address, or open the address in a browser; it may be out of date, for another name, or without its intermediate certificates';

const ADDRESS_FIX = 'Check the address and the port, that the web server runs, and that no firewall keeps visitors out';

/** Advice for operators of a back end, by the stage; the advice of the failure is for pilots. */
const FIXES: Readonly<Record<string, string>> = {
  name: ADDRESS_FIX,
  connection: ADDRESS_FIX,
  tls: TLS_FIX,
  answer: 'Look into the logs of PHP and the web server: a process that crashes cuts off its answer',
  timeout: 'Look for the slow part (mostly the database) in the slow log of PHP; pilots do not wait longer',
  redirect:
    'Let the web server answer the paths of the back end itself (rules that add a slash, www or https must not touch them): a redirected POST loses its body, and neither password nor session is forwarded',
  content: 'Answer with the expected JSON and nothing else: no page, and less than 1 MiB',
  failure: 'Look into the error log of PHP, or of the framework (storage/logs)',
};

/** Describes a body for people: its message, or else the names of its members, as the values may be secret. */
export function describeBody(answer: BackEndResponse): string {
  const {body} = answer;
  const message = failureMessageOf(answer);
  if (message !== undefined) return `the message ${JSON.stringify(message)}`;
  switch (body.kind) {
    case 'empty':
      return 'an empty body';
    case 'binary':
      return 'bytes that are not text in UTF-8';
    case 'html':
      return describePage(answer);
    case 'text':
    case 'mixed':
      return `text that begins with ${quoteFirstLine(answer)}`;
    case 'long':
      return `${answer.bytes.length} bytes that begin with ${quoteFirstLine(answer)}`;
    case 'json':
      return Array.isArray(body.value) ? 'a JSON array' : `the JSON ${JSON.stringify(body.value)?.slice(0, 40)}`;
    case 'object':
      return describeMembers(Object.keys(body.value), answer);
  }
}

/** Returns the message of a failure, cleaned and truncated; undefined if there is none. */
export function failureMessageOf({body, secrets}: BackEndResponse): string | undefined {
  const message = cleanText(messageIn(body) ?? '', secrets);
  return message === '' ? undefined : message;
}

/** Returns a warning for JSON of another content type, and for a byte order mark before it, which Crewroom skips but other programs may not. */
export function judgeForm(check: NamedCheck, {headers, body}: BackEndResponse): readonly Finding[] {
  const type = headers.get('content-type') ?? 'none';
  const isJson = /^application\/(?:[\w.+-]+\+)?json\b/i.test(type);
  return [
    ...(isJson ? [] : [check.warning(`it answers with JSON and calls it ${JSON.stringify(type)}`, TYPE_FIX)]),
    ...('hasByteOrderMark' in body && body.hasByteOrderMark ? [check.warning(BYTE_ORDER_MARK, MARK_FIX)] : []),
  ];
}

const TYPE_FIX =
  'Send the header "Content-Type: application/json" with every answer; in PHP: header("Content-Type: application/json")';

const BYTE_ORDER_MARK = 'there is a byte order mark before the JSON, which not every program skips';

const MARK_FIX = 'Save the PHP files, included files too, as UTF-8 without a byte order mark';

/** Maximum number of member names that are listed. */
const NAMES_MAX = 8;

function describeMembers(names: readonly string[], {secrets}: BackEndResponse): string {
  if (names.length === 0) return 'an empty JSON object';
  const shown = names.slice(0, NAMES_MAX).map(name => JSON.stringify(cleanText(name, secrets)));
  return `a JSON object with ${shown.join(', ')}${names.length > NAMES_MAX ? ' and more' : ''}`;
}

function describePage(answer: BackEndResponse): string {
  const title = titleOf(decodeWithoutSecrets(answer.bytes, answer.secrets));
  if (title === undefined) return `HTML that begins with ${quoteFirstLine(answer)}`;
  return `a page titled ${JSON.stringify(cleanText(title, []))}`;
}

function quoteFirstLine({bytes, secrets}: BackEndResponse): string {
  return JSON.stringify(cleanText(firstLineOf(decodeWithoutSecrets(bytes, secrets)), []));
}
