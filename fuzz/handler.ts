import {readFile} from 'node:fs/promises';
import fc from 'fast-check';
import {
  type HandlerAnswer,
  type HandlerServer,
  htmlAnswer,
  jsonAnswer,
  redirectTo,
  startHandlerServer,
} from '../test/support/back-end-server.ts';
import {ADA, BEN, CLEO, createPhpVms5, respond, TROUBLE} from '../test/support/back-ends.ts';

/** A handler that plays the back end of an airline, and fails for those who have the names of failures. */
export interface FuzzHandler extends AsyncDisposable {
  /** The airline whose handler it is, as a file of `--airline`. */
  readonly airlineJson: string;
}

/** As much as the service reads of an answer, in bytes: what takes quadratic time then takes longer than the fuzzer waits. */
const PAGE_BYTES = 1024 * 1024;

/** Pages on which a reader that goes back takes quadratic time. */
const HOSTILE_PAGES = ['<title', '<title>', '<title <', '<', '<br /', ' \t', '{"a":', 'x'].map(
  (text): HandlerAnswer => ({
    status: 401,
    headers: {'Content-Type': 'text/html'},
    body: `<html>${text.repeat(Math.ceil(PAGE_BYTES / text.length))}`.slice(0, PAGE_BYTES),
  }),
);

/** Answers of a handler in trouble, by the name with which somebody signs in. */
const TROUBLES: Readonly<Record<string, HandlerAnswer>> = {
  ...TROUBLE,
  page: htmlAnswer(200, 'Welcome'),
  redirect: redirectTo('https://elsewhere.example/login'),
  'no-pilot': jsonAnswer(200, {dbID: 'one', session: 1}),
  'no-json': {status: 200, headers: {'Content-Type': 'application/json'}, body: '{"dbID":'},
  'too-many': {...jsonAnswer(429, {message: 'Too Many Attempts.'}), headers: {'Retry-After': '60'}},
  slashes: redirectTo(`/x${'/'.repeat(15_000)}x`),
  ...Object.fromEntries(HOSTILE_PAGES.map((page, index) => [`hostile-page-${index}`, page])),
  'long-text': jsonAnswer(500, {message: 'x'.repeat(100_000)}),
};

/** The name of somebody to whom the handler never answers. */
export const SILENT = 'silent';

/** What people sign in with: good, wrong, and such that the handler fails. */
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

/** What the handler tells nobody but the service. */
export const HANDLER_SECRETS: readonly string[] = [ADA.password];

/** Starts the handler. */
export async function startHandler(): Promise<FuzzHandler> {
  const backEnd = createPhpVms5(Date.now);
  const server: HandlerServer = await startHandlerServer(request => {
    // All that ever came would be kept.
    server.forgetRequests();
    const username = request.query.get('username') ?? '';
    if (username === SILENT) return undefined;
    return Object.hasOwn(TROUBLES, username) ? TROUBLES[username] : respond(request, backEnd);
  });
  const airline = JSON.parse(await readFile(new URL('../examples/handler/airline.json', import.meta.url), 'utf8')) as {
    readonly settings: object;
  };
  const settings = {...airline.settings, scriptURL: server.scriptURL};
  return {
    airlineJson: JSON.stringify({...airline, settings}),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
