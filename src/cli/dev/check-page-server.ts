import type {CliContext} from '../terminal/context.ts';

/** Longest wait for a dev server, in milliseconds. One that is started with `crewroom dev` needs some seconds. */
const WAIT_MS = 30_000;

/** Interval between two attempts to reach a dev server, in milliseconds. */
const INTERVAL_MS = 200;

/** Longest wait for one answer of a dev server, in milliseconds. */
const ANSWER_TIMEOUT_MS = 30_000;

export interface CheckPageServerDeps extends Pick<CliContext, 'pause' | 'elapsedMs'> {
  /** Connects to this machine only. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/**
 * Waits until a dev server answers, and checks that it serves the page at the path that the page has in this service.
 *
 * @param path Path of the page, such as `/plugins/com.example.hello/`.
 * @returns The problem with what to change; undefined if there is none.
 */
export async function checkPageServer(
  url: string,
  path: string,
  {fetch, pause, elapsedMs, signal}: CheckPageServerDeps,
): Promise<string | undefined> {
  const untilMs = elapsedMs() + WAIT_MS;
  const options = {headers: {Accept: 'text/html'}};
  for (;;) {
    const timeout = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    const request = new Request(new URL(path, url), {...options, signal: AbortSignal.any([signal, timeout])});
    const response = await fetch(request).catch(() => undefined);
    if (signal.aborted) return undefined;
    if (response !== undefined) return findPathProblem(url, path, response);
    if (elapsedMs() >= untilMs) return `No dev server answers at ${url}: start it, or name it with --ui URL`;
    await pause(INTERVAL_MS);
  }
}

/** Length of the beginning of a page that is searched for its files, in characters; the rest is not read. */
const PAGE_LENGTH_MAX = 64 * 1024;

async function readBeginning({body}: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  // Leaving the loop cancels the rest.
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, {stream: true});
    if (text.length >= PAGE_LENGTH_MAX) break;
  }
  return text.slice(0, PAGE_LENGTH_MAX);
}

async function findPathProblem(url: string, path: string, response: Response): Promise<string | undefined> {
  const {status, headers} = response;
  const text = await readBeginning(response).catch(() => '');
  const remedy = `with Vite set base: '${path}', with webpack output.publicPath: '${path}'`;
  const begin = `The dev server at ${url}`;
  if (status === 404) return `${begin} has no page at ${path}: ${remedy}`;
  const location = headers.get('location');
  if (location !== null && !(URL.canParse(location, url) && new URL(location, url).pathname.startsWith(path)))
    return `${begin} redirects ${path} to ${location}: ${remedy}`;
  const sources = Array.from(
    text.matchAll(/<(?:script|link)\b[^>]*?\b(?:src|href)=["'](\/[^"'/][^"']*)/g),
    match => match[1],
  );
  const other = sources.find(source => source?.startsWith(path) !== true);
  return other === undefined
    ? undefined
    : `${begin} serves the page at ${path} with files outside of it (${other}): ${remedy}`;
}
