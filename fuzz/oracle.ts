// biome-ignore lint/style/noExcessiveLinesPerFile: the rules for answers, one a function.
import type {Answer} from './connection.ts';
import type {ApiDocument, DescribedAnswer, Operation, Place} from './document.ts';
import {FAULT_CODES} from './faults.ts';
import {type Finding, type Found, found, headerOf, textOf} from './finding.ts';
import {checkFile, FILE_HEADERS, isFile} from './page-files.ts';
import type {WebSocketFrame} from './web-socket-frames.ts';

/** The request, as far as the rules depend on it. */
export interface CheckedRequest {
  readonly method: string;
  /** The unparsed target. */
  readonly target: string;
  /** True if the guard must refuse it. */
  readonly foreign?: boolean;
  /** True if it is a write that the service must refuse, since it is something else than its method and body. */
  readonly disguised?: boolean;
}

/** Facts that the oracle knows besides the document. */
export interface JudgeOptions {
  /** Texts that no answer may contain. */
  readonly secrets: readonly string[];
  /** Contents of the files of pages. */
  readonly pages: readonly string[];
}

/** Decides by the document whether answers are correct. */
export interface Oracle {
  /** Returns the violations in an answer; mostly none. */
  check(request: CheckedRequest, answer: Answer): readonly Finding[];
  /** Returns the violations in an answer to arbitrary bytes. */
  checkAny(answer: Answer): readonly Finding[];
  /** Returns the violations in frames of an operation's web socket. */
  checkFrames(operation: Operation, frames: readonly WebSocketFrame[]): readonly Finding[];
}

/** Failures of another service: answers with these are correct if they are documented for the operation. */
const GATEWAY_STATUSES = [502, 504];

/** Failures of a plugin, which are correct likewise, with any status. */
const PLUGIN_CODES = ['busy', 'plugin-ended', 'plugin-failed', 'plugin-timeout'];

/** Members of plugins, and of the service, that are documented to be paths of the machine. */
const DOCUMENTED_PATHS = /"(?:dataDir|directory|storagePath)":"(?:[^"\\]|\\.)*"/g;

/** Headers that any answer may have, besides its documented ones. */
const COMMON_HEADERS = new Set([
  'accept-patch',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-allow-private-network',
  'access-control-expose-headers',
  'access-control-max-age',
  'allow',
  'cache-control',
  'clear-site-data',
  'connection',
  'content-length',
  'content-security-policy',
  'content-type',
  'crewroom-api',
  'crewroom-fault',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'date',
  'keep-alive',
  'origin-agent-cluster',
  'refresh',
  'transfer-encoding',
  'vary',
  'x-accel-buffering',
  'x-content-type-options',
]);

/** Headers that every answer must have. */
const REQUIRED_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'crewroom-api': '1',
};

/** Traces of the internals of a Node program. */
const INSIDES =
  /\n\s+at |node:internal|\bat [\w.<>]+ \((file:|\/)|\/dist\/|node_modules|\[object |undefined is not|Cannot read propert/;

/** Content of any type, if no other is described (OpenAPI 3.1, Media Type Object). */
const ANY_TYPE = '*/*';

const PROBLEM_TYPE = 'application/problem+json';

/** Creates an oracle. */
export function createOracle(document: ApiDocument, {secrets, pages}: JudgeOptions): Oracle {
  const check = (request: CheckedRequest, answer: Answer): readonly Finding[] => {
    const place = document.find(request.method, request.target);
    const where = `${nameOf(place)} ${answer.status}`;
    const all = [
      ...(request.foreign === true && answer.status < 400 ? [found('admitted', 'the guard must refuse it')] : []),
      ...(request.disguised === true && answer.status < 400 ? [found('disguised', 'it was accepted')] : []),
      ...checkHeaders(answer, isFile(place, answer)),
      ...checkSecrets(answer, secrets),
      ...(isFile(place, answer) ? checkFile(answer, pages) : checkContent(place, answer, document)),
    ];
    return all.map(({rule, text}) => ({rule, where, text}));
  };
  return {
    check,
    checkAny: answer => checkAny(answer, document, check),
    checkFrames: (operation, frames) => checkFrames(operation, frames, document),
  };
}

/** Name of a place in counts. */
export function nameOf(place: Place): string {
  switch (place.kind) {
    case 'operation':
      return place.operation.name;
    case 'head':
      return `HEAD of ${place.operation.name}`;
    case 'options':
      return 'OPTIONS';
    case 'other-method':
      return 'other methods';
    case 'slash':
      return `${nameOf(place.without)} with a slash`;
    case 'page':
      return 'pages';
    case 'nowhere':
      return 'nowhere';
  }
}

function* checkHeaders({status, headers}: Answer, isFile: boolean): Iterable<Found> {
  // An answer that switches protocols has no cache headers.
  if (status === 101) return;
  for (const [name, wanted] of Object.entries({...REQUIRED_HEADERS, ...(isFile ? FILE_HEADERS : {})})) {
    const value = headerOf(headers, name);
    // Streams also tell proxies to leave them as they are; documents of plugins are kept in no cache.
    const accepted = wanted === 'no-cache' ? [wanted, 'no-store'] : [wanted, `${wanted}, no-transform`];
    if (!accepted.includes(value ?? '')) yield found('missing-header', `${name} is ${value}`);
  }
  const names = headers.map(([name]) => name);
  for (const name of new Set(names))
    if (names.indexOf(name) !== names.lastIndexOf(name)) yield found('wrong-header', `${name} occurs twice`);
  if (headerOf(headers, 'access-control-allow-origin') === '*') yield found('wrong-header', 'any origin may read it');
}

function* checkSecrets({headers, body}: Answer, secrets: readonly string[]): Iterable<Found> {
  const text = `${JSON.stringify(headers)}${textOf({body}).replace(DOCUMENTED_PATHS, '')}`;
  for (const secret of secrets)
    if (text.includes(secret)) yield found('leak', `it contains a secret: ${secret.slice(0, 3)}…`);
}

/** Checks an answer of an operation, or the failure in its place that a fault caused. */
function checkContent(place: Place, answer: Answer, document: ApiDocument): Iterable<Found> {
  const faults = headerOf(answer.headers, 'crewroom-fault')?.split(', ') ?? [];
  return faults.includes('error') ? checkAsked(answer, document) : checkPlace(place, answer, document);
}

/** Checks a failure that a fault caused: it has a code that was asked for, and says that it is a fault. */
function* checkAsked(answer: Answer, document: ApiDocument): Iterable<Found> {
  // The answer to HEAD has no body.
  if (answer.body.length === 0) return;
  yield* checkProblem(answer, document);
  const code = codeOf(answer);
  if (code === undefined || !FAULT_CODES.includes(code)) yield found('wrong-problem', `its code is ${code}`);
  if (!textOf(answer).includes('"fault":"error"')) yield found('wrong-problem', 'it does not name the fault');
}

function* checkPlace(place: Place, answer: Answer, document: ApiDocument): Iterable<Found> {
  const {status} = answer;
  if (status >= 500 && !isPromised(place, answer, document)) yield found('server-error', textOf(answer).slice(0, 500));
  switch (place.kind) {
    case 'operation':
    case 'head':
      yield* checkOperation(place, answer, document);
      break;
    case 'options':
      if (status === 204) yield* checkAllowed(answer);
      else yield* checkCommon(answer, document, codesOfMissing(place.path, answer, document));
      break;
    case 'other-method':
      if (status === 405) yield* checkCommon(answer, document, ['method-not-allowed']);
      else yield* checkCommon(answer, document, codesOfMissing(place.path, answer, document));
      break;
    case 'slash':
      if (status === 308) yield* checkNoBody(answer);
      else yield* checkPlace(place.without, answer, document);
      break;
    case 'page':
    case 'nowhere':
      // A preflight succeeds so that its page can read the 404 itself.
      if (status === 204) yield* checkAllowed(answer);
      else if (status === 405 && place.kind === 'page') yield* checkCommon(answer, document, ['method-not-allowed']);
      else yield* checkCommon(answer, document, status === 404 ? ['no-resource'] : []);
  }
}

/** Returns the code of a resource that only some hosts serve, by the document, if the answer comes from another one. */
function codesOfMissing(path: string, {status}: Answer, document: ApiDocument): readonly string[] {
  const operations = document.operations.filter(operation => operation.path === path);
  const codes = operations.flatMap(({answers}) => document.codes(answers[status]));
  return codes.includes('no-resource') ? ['no-resource'] : [];
}

function isPromised(place: Place, answer: Answer, document: ApiDocument): boolean {
  if (place.kind !== 'operation' && place.kind !== 'head') return false;
  const described = place.operation.answers[answer.status];
  if (GATEWAY_STATUSES.includes(answer.status)) return described !== undefined;
  const codes = document.codes(described).filter(code => PLUGIN_CODES.includes(code));
  // The answer to HEAD has no code.
  return place.kind === 'head' ? codes.length > 0 : codes.includes(codeOf(answer) ?? '');
}

/** Checks an answer that lists the methods. */
function* checkAllowed(answer: Answer): Iterable<Found> {
  const names = ['allow', 'access-control-allow-methods'];
  if (names.every(name => headerOf(answer.headers, name) === undefined))
    yield found('missing-header', 'it has no Allow');
  yield* checkNoBody(answer);
}

/** Checks an answer to a request without an operation in the document: only general answers are allowed. */
function* checkCommon(answer: Answer, document: ApiDocument, codes: readonly string[]): Iterable<Found> {
  const allowed = [...codes, ...document.commonCodes(answer.status)];
  if (allowed.length === 0) {
    yield found('undocumented-status', `no request may be answered with ${answer.status}`);
  } else if (answer.body.length > 0) {
    yield* checkProblem(answer, document);
    const code = codeOf(answer);
    if (code !== undefined && !allowed.includes(code)) yield found('wrong-problem', `its code is ${code}`);
  }
}

type OperationPlace = Extract<Place, {readonly operation: Operation}>;

function* checkOperation(place: OperationPlace, answer: Answer, document: ApiDocument): Iterable<Found> {
  const {answers} = place.operation;
  const type = mediaTypeOf(answer) ?? '';
  // Problems are those of the service, even if a plugin may answer anything else.
  const described = answers[answer.status] ?? (type === PROBLEM_TYPE ? undefined : answers['default']);
  if (described === undefined) {
    yield found('undocumented-status', `the document has no ${answer.status} for it`);
    return;
  }
  yield* checkDescribedHeaders(described, answer);
  const {content = {[type]: {}}} = described;
  const isDescribed = Object.hasOwn(content, type);
  if (!isDescribed && !Object.hasOwn(content, ANY_TYPE)) yield found('undocumented-type', `its type is "${type}"`);
  else if (described.content === undefined || place.kind === 'head') yield* checkNoBody(answer);
  else if (isDescribed) yield* checkBody(place.operation, type, answer, document);
}

function* checkBody(operation: Operation, type: string, answer: Answer, document: ApiDocument): Iterable<Found> {
  if (type === PROBLEM_TYPE) yield* checkProblem(answer, document);
  if (type === 'text/event-stream') {
    yield* checkEventStream(answer, data => checkText(data, EVENT, document));
  } else if (type === 'application/x-ndjson') {
    yield* checkLines(answer);
  } else if (type.endsWith('json')) {
    for (const text of checkText(textOf(answer), placeOfAnswer(operation, answer.status, type), document))
      yield found('wrong-body', text);
  }
}

function placeOfAnswer({path, method}: Operation, status: number, type: string): readonly string[] {
  return ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema'];
}

/** Place of the schema of one event, as streams and web sockets send it. */
const EVENT = ['components', 'schemas', 'Event'];

function* checkDescribedHeaders({headers = {}}: DescribedAnswer, answer: Answer): Iterable<Found> {
  const documented = new Map(Object.entries(headers).map(([name, header]) => [name.toLowerCase(), header]));
  for (const [name, {required = false, schema}] of documented) {
    const value = headerOf(answer.headers, name);
    if (value === undefined && required) yield found('missing-header', `it has no ${name}`);
    const pattern = schema['pattern'];
    if (value !== undefined && typeof pattern === 'string' && !new RegExp(pattern).test(value))
      yield found('wrong-header', `${name} is ${value}`);
  }
  for (const [name] of answer.headers)
    if (!documented.has(name) && !COMMON_HEADERS.has(name)) yield found('undocumented-header', `it has ${name}`);
}

/** The type of an answer as the document names it: JSON is sent with its charset. */
function mediaTypeOf({headers}: Answer): string | undefined {
  return headerOf(headers, 'content-type')?.replace(/(json); charset=utf-8$/, '$1');
}

function* checkNoBody({body}: Answer): Iterable<Found> {
  if (body.length > 0) yield found('wrong-body', `it has ${body.length} bytes where none are documented`);
}

/** Checks the rules of every problem document (RFC 9457). */
function* checkProblem(answer: Answer, document: ApiDocument): Iterable<Found> {
  const text = textOf(answer);
  const type = mediaTypeOf(answer);
  if (type !== PROBLEM_TYPE) yield found('wrong-problem', `its type is ${type}`);
  const problems = checkText(text, ['components', 'schemas', 'Problem'], document);
  for (const problem of problems) yield found('wrong-problem', problem);
  if (problems.length > 0) return;
  const {status, detail, advice, title, problem} = JSON.parse(text) as Readonly<Record<string, unknown>>;
  if (status !== answer.status) yield found('wrong-problem', `its status is ${status}`);
  const words = [detail, advice, title, problem].join(' ');
  if (INSIDES.test(words)) yield found('leak', words.slice(0, 300));
}

function codeOf(answer: Answer): string | undefined {
  const parsed = parse(textOf(answer));
  return parsed === undefined ? undefined : String((parsed.value as {readonly code?: unknown} | null)?.code);
}

/** Checks a stream of events as far as it was read: its last lines may be incomplete. */
function* checkEventStream(answer: Answer, check: (data: string) => readonly string[]): Iterable<Found> {
  const blocks = textOf(answer).split('\n\n').slice(0, -1);
  for (const block of blocks) {
    const fields = block.split('\n').filter(line => !line.startsWith(':'));
    const odd = fields.find(line => !/^(event|data|id|retry): /.test(line));
    if (odd !== undefined) yield found('wrong-body', `a line of the stream is ${JSON.stringify(odd.slice(0, 100))}`);
    const data = fields.filter(line => line.startsWith('data: ')).map(line => line.slice('data: '.length));
    if (data.length > 0) for (const text of check(data.join('\n'))) yield found('wrong-body', `in an event ${text}`);
  }
}

function* checkLines(answer: Answer): Iterable<Found> {
  const lines = textOf(answer).split('\n');
  if (lines.pop() !== '') yield found('wrong-body', 'its last line does not end');
  const wrong = lines.find(line => parse(line) === undefined);
  if (wrong !== undefined) yield found('wrong-body', `a line is ${JSON.stringify(wrong.slice(0, 100))}`);
}

function checkFrames(
  operation: Operation,
  frames: readonly WebSocketFrame[],
  document: ApiDocument,
): readonly Finding[] {
  return frames.flatMap(({kind, text, code, problem}) => {
    const problems = problem === undefined ? [] : [problem];
    if (kind === 'text') problems.push(...checkText(text, EVENT, document));
    // 1011 means an unexpected condition (RFC 6455 section 7.4.1).
    if (kind === 'close' && (code === 1011 || text.includes('internal')))
      problems.push(`it closes with ${code} ${text}`);
    return problems.map((each): Finding => ({rule: 'wrong-frame', where: `${operation.name} 101`, text: each}));
  });
}

/** An answer is correct if any operation allows it, or a request without an operation does. */
function checkAny(answer: Answer, document: ApiDocument, check: Oracle['check']): readonly Finding[] {
  const operations = document.operations.flatMap(({method, path}) => [
    {method, target: path},
    ...(method === 'GET' ? [{method: 'HEAD', target: path}] : []),
  ]);
  const candidates: readonly CheckedRequest[] = [
    ...operations,
    {method: 'GET', target: '/nowhere'},
    {method: 'GET', target: '/plugins/'},
    {method: 'OPTIONS', target: '/api'},
    {method: 'TRACE', target: '/api'},
  ];
  let fewest: readonly Finding[] | undefined;
  for (const request of candidates) {
    const findings = check(request, answer);
    if (findings.length === 0) return findings;
    if (fewest === undefined || findings.length < fewest.length) fewest = findings;
  }
  return (fewest ?? []).map(finding => ({...finding, where: `bytes ${answer.status}`}));
}

function checkText(text: string, place: readonly string[], document: ApiDocument): readonly string[] {
  const parsed = parse(text);
  return parsed === undefined ? ['it is not a JSON text'] : document.check(parsed.value, place);
}

function parse(text: string): {readonly value: unknown} | undefined {
  try {
    return {value: JSON.parse(text)};
  } catch {
    return undefined;
  }
}
