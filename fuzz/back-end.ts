import {readFile} from 'node:fs/promises';
import fc from 'fast-check';
import {
  type BackEndAnswer,
  type BackEndServer,
  htmlAnswer,
  jsonAnswer,
  redirectTo,
  startBackEndServer,
} from '../test/support/back-end-server.ts';
import {createPhpVms5, respond, TROUBLE} from '../test/support/back-ends.ts';
import {ADA, BEN, CLEO} from '../test/support/pilots.ts';

/** A server that plays the back end of an airline, and fails for user names that are names of failures. */
export interface FuzzBackEnd extends AsyncDisposable {
  /** The airline of the back end, as a file for `--airline`. */
  readonly airlineJson: string;
}

/**
 * Size of a hostile page, in bytes: twice what the service searches. A reader that takes quadratic time needs some two
 * seconds for it, which shows, and ends before the timeouts of the fuzzer. For the largest page it would need minutes.
 */
const PAGE_BYTES = 128 * 1024;

/** Pages that take a backtracking reader quadratic time. */
const HOSTILE_PAGES = ['<title', '<title>', '<title <', '<', '<br /', ' \t', '{"a":', 'x'].map(
  (text): BackEndAnswer => ({
    status: 401,
    headers: {'Content-Type': 'text/html'},
    body: `<html>${text.repeat(Math.ceil(PAGE_BYTES / text.length))}`.slice(0, PAGE_BYTES),
  }),
);

/** User names for which the back end answers with such a page. */
export const HOSTILE_PAGE_NAMES: readonly string[] = HOSTILE_PAGES.map((_, index) => `hostile-page-${index}`);

/** Answers of a failing back end, by user name. */
const TROUBLES: Readonly<Record<string, BackEndAnswer>> = {
  ...TROUBLE,
  page: htmlAnswer(200, 'Welcome'),
  redirect: redirectTo('https://elsewhere.example/login'),
  'no-pilot': jsonAnswer(200, {dbID: 'one', session: 1}),
  'no-json': {status: 200, headers: {'Content-Type': 'application/json'}, body: '{"dbID":'},
  'too-many': {...jsonAnswer(429, {message: 'Too Many Attempts.'}), headers: {'Retry-After': '60'}},
  slashes: redirectTo(`/x${'/'.repeat(15_000)}x`),
  ...Object.fromEntries(HOSTILE_PAGES.map((page, index) => [HOSTILE_PAGE_NAMES[index], page])),
  'long-text': jsonAnswer(500, {message: 'x'.repeat(100_000)}),
};

/** User name for which the back end never answers. */
export const SILENT = 'silent';

/** Credentials: right, wrong, and those for which the back end fails. */
export const SIGN_INS: fc.Arbitrary<unknown> = fc.oneof(
  {weight: 4, arbitrary: fc.constant({username: String(ADA.number), password: ADA.password})},
  fc.constant({username: ADA.email, password: ADA.password}),
  fc.constant({username: String(ADA.number), password: 'wrong'}),
  fc.constantFrom(BEN, CLEO).map(({number, password}) => ({username: String(number), password})),
  fc.constantFrom(...Object.keys(TROUBLES)).map(username => ({username, password: 'x'})),
  fc
    .constantFrom('http://127.0.0.1:1/', 'https://elsewhere.example/', 'file:///etc/passwd', 'x', '')
    .map(scriptURL => ({scriptURL, username: '1', password: 'x'})),
);

/** Secrets that the back end tells only the service. */
export const BACK_END_SECRETS: readonly string[] = [ADA.password];

/** Starts the back end. */
export async function startBackEnd(): Promise<FuzzBackEnd> {
  const backEnd = createPhpVms5(Date.now);
  const server: BackEndServer = await startBackEndServer(request => {
    // Drop the body: storing all of them would use up memory.
    server.forgetRequests();
    const username = request.query.get('username') ?? '';
    if (username === SILENT) return undefined;
    return Object.hasOwn(TROUBLES, username) ? TROUBLES[username] : respond(request, backEnd);
  });
  const airline = JSON.parse(await readFile(new URL('../examples/back-end/airline.json', import.meta.url), 'utf8')) as {
    readonly settings: object;
  };
  const settings = {...airline.settings, scriptURL: server.scriptURL};
  return {
    airlineJson: JSON.stringify({...airline, settings}),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
