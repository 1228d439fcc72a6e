import {diagnose} from '../../../service/identity/backend/diagnosis.ts';
import type {BackEndPilot} from '../../../service/identity/backend/pilot.ts';
import {isOffered} from '../../../service/identity/backend/pilot-answer.ts';
import {
  BACK_END_ANSWER_BYTES_MAX,
  type BackEndResponse,
} from '../../../service/identity/backend/request/back-end-request.ts';
import {findRedirect} from '../../../service/identity/backend/request/redirect.ts';
import {type Finding, NamedCheck} from '../finding.ts';
import {describeBody, findingOfCallFailure, judgeForm, type WalkContext} from './call-findings.ts';

const CHECK = new NamedCheck('Read');

/** Path that every back end has for signed-in pilots. */
const PATH = 'data/airports';

/** Advice for a lost header, for Apache with PHP as CGI or FPM and for nginx. */
const AUTHORIZATION_FIX =
  'Hand the header on to PHP. Apache, in .htaccess: SetEnvIf Authorization "(.+)" HTTP_AUTHORIZATION=$1 (or, from 2.4.13 on: CGIPassAuth On). nginx: fastcgi_param HTTP_AUTHORIZATION $http_authorization;';

/** Largest answer that is read, in bytes: there are 80,000 airports, with about 100 bytes each. */
const READ_BYTES_MAX = 16 * 1024 * 1024;

/** Timeout for the answer, in milliseconds: pilots do not wait for it. */
const READ_TIMEOUT_MS = 60_000;

/** Duration above which the answer is reported as slow, in milliseconds: plugins load it at their start. */
const SLOW_MS = 5000;

/** Checks if a verified session gives access to data for pilots. A refusal means its header was lost on the way. */
export async function checkRead(
  {session}: BackEndPilot,
  {scriptURL, client, elapsedMs}: WalkContext,
): Promise<readonly Finding[]> {
  const limits = {answerBytesMax: READ_BYTES_MAX, timeoutMs: READ_TIMEOUT_MS};
  const request = {scriptURL, path: PATH, method: 'GET', ...limits};
  try {
    const headers = {Authorization: `Bearer ${session}`};
    const beganAtMs = elapsedMs();
    const answer = await client.send({...request, headers, secrets: [session]});
    const tookMs = elapsedMs() - beganAtMs;
    const redirect = findRedirect(answer);
    if (redirect !== undefined) return [findingOfCallFailure(CHECK.name, redirect)];
    const diagnosis = diagnose(answer);
    if (diagnosis !== undefined)
      return [CHECK.problem(`${PATH}: ${diagnosis.problem} (${answer.status})`, diagnosis.advice)];
    if (answer.status === 401 || answer.status === 403) return [describeLoss(answer, await client.send(request))];
    const found = judge(answer, tookMs);
    if (found.some(({level}) => level === 'problem')) return found;
    const bare = await client.send(request);
    return bare.status === 200 ? [...found.filter(({level}) => level !== 'ok'), OPEN_DOOR] : found;
  } catch (error) {
    return [findingOfCallFailure(CHECK.name, error)];
  }
}

function judge(answer: BackEndResponse, tookMs: number): readonly Finding[] {
  const {status, body, bytes} = answer;
  if (!isOffered(answer)) return [NOT_OFFERED];
  if (status !== 200 || body.kind !== 'json' || !Array.isArray(body.value)) {
    const detail = `${PATH} answers ${status} with ${describeBody(answer)}`;
    return [CHECK.problem(detail, `Answer GET ${PATH} with the airports as a JSON array`)];
  }
  const count = body.value.length;
  const detail = `${PATH} has ${count} ${count === 1 ? 'airport' : 'airports'}`;
  const warnings = [...findBulk(bytes.length, tookMs, detail), ...judgeForm(CHECK, answer)];
  return warnings.length > 0 ? warnings : [CHECK.ok(detail)];
}

function findBulk(sizeBytes: number, tookMs: number, detail: string): readonly Finding[] {
  if (sizeBytes <= BACK_END_ANSWER_BYTES_MAX && tookMs <= SLOW_MS) return [];
  const size = `${(sizeBytes / 1024 / 1024).toFixed(1)} MiB in ${(tookMs / 1000).toFixed(1)} seconds`;
  return [
    CHECK.warning(
      `${detail}, ${size}: plugins that read them all take as long`,
      'Nothing is broken; turn on compression (gzip) for JSON in the web server, and delete airports that the airline does not use',
    ),
  ];
}

/** Describes a refusal of the valid session: if a request without it gets the same answer, the header was lost. */
function describeLoss({status, bytes}: BackEndResponse, bare: BackEndResponse): Finding {
  const isAlike = bare.status === status && Buffer.compare(bare.bytes, bytes) === 0;
  const seen = isAlike ? ', just as without it: the header "Authorization" is lost on the way to PHP' : '';
  return CHECK.problem(
    `${PATH} refuses the session that was just verified (${status})${seen}`,
    isAlike
      ? AUTHORIZATION_FIX
      : 'Let every path accept the session in "Authorization: Bearer …", as pilot/verify does',
  );
}

const NOT_OFFERED: Finding = CHECK.warning(
  `${PATH} is not offered: plugins that read data of the airline do not work`,
  `Answer GET ${PATH} with the airports as a JSON array`,
);

const OPEN_DOOR: Finding = CHECK.warning(
  `${PATH} can be read without a session`,
  'Require a session ("Authorization: Bearer …") for everything except the probe and the three calls of the pilot',
);
