import type {RecordedRequest, Requests} from '../../core/domain/recorded-request.ts';
import {messageOf} from '../../core/failures/app-error.ts';
import type {LogLevel} from '../../platform/config/config.ts';
import {openAddress} from '../../platform/system/open-address.ts';
import type {RequestChoice} from '../catalogue/service-commands.ts';
import {createOwnCode, type OwnService} from '../service/owner-code.ts';
import {type CliContext, type StopSignal, type Style, styleOf} from '../terminal/context.ts';
import {createLog} from '../terminal/log.ts';
import type {StopRequest} from '../terminal/stop-request.ts';
import {wrapIndented} from '../terminal/table.ts';
import {formatRequest} from './format-request.ts';
import {printRequests, type RequestPrinter, withoutFailedRequests} from './print-requests.ts';

/** A service that listens. */
export interface TerminalService {
  readonly crewroom: {readonly requests: Requests; readonly config: OwnService['config']};
  /** Its address for people, such as `http://localhost:7172`. */
  readonly address: string;
}

export interface ServiceTerminalOptions {
  readonly context: CliContext;
  readonly logLevel: LogLevel;
  readonly requests: RequestChoice;
  readonly stop: StopRequest;
}

/**
 * Opens the terminal of a user who runs a service, on stderr. Standard input is read only once the service listens, and only if it is a terminal too.
 * Dispose of it to restore the terminal.
 */
export function openServiceTerminal({context, logLevel, requests, stop}: ServiceTerminalOptions) {
  const {nowMs, stderr} = context;
  const style = styleOf(stderr, context);
  const write = (text: string): void => void stderr.write(text);
  const log = createLog({level: logLevel, write, nowMs, style});
  // Its width is read each time: the user may change it.
  const print: RequestPrinter = request => write(formatRequest(request, styleOf(stderr, context)));
  let restore: (() => void) | undefined;
  return {
    /** Writes lines for people. Failed requests are left out if they are printed as requests. */
    log: requests === 'off' ? log : withoutFailedRequests(log),
    /** Prints a text of whole lines, such as a banner. */
    print: write,
    /** Prints requests from now on, and listens for keys. */
    serve: ({crewroom, address}: TerminalService): void => {
      const {requests: recorded, config} = crewroom;
      restore = listenForServiceKeys({context, write, stop, address, config, requests: recorded, print});
      if (restore !== undefined) write(style.dim('  Press h for help\n\n'));
      const onMissed = (count: number): void => write(style.dim(`${count} requests came too fast to show\n`));
      printRequests(crewroom.requests, {choice: requests, print, onMissed}).catch(error =>
        log.error('requests are no longer printed', {error}),
      );
    },
    /** Reports that the service stops, because of a signal or a key. */
    stopping: (signal: StopSignal): void => {
      // A terminal that handles Ctrl+C itself shows ^C: begin a new line.
      const lineBreak = signal === 'SIGINT' && restore === undefined ? '\n' : '';
      const text = 'Stopping: requests in flight are finished; press Ctrl+C again to stop at once';
      write(`${lineBreak}${style.dim(wrapIndented(text, 0, style))}\n`);
    },
    [Symbol.dispose]: (): void => restore?.(),
  };
}

export interface ServiceKeysDeps {
  readonly context: CliContext;
  readonly write: (text: string) => void;
  readonly stop: StopRequest;
  /** The address of the service, such as `http://localhost:7172`. */
  readonly address: string;
  readonly config: OwnService['config'];
  readonly requests: Requests;
  readonly print: RequestPrinter;
}

interface Key {
  readonly key: string;
  readonly purpose: string;
  readonly press: () => void | Promise<void>;
}

const CTRL_C = '\u0003';

/** Number of requests that a key shows. */
const SHOWN_REQUESTS = 20;

/**
 * Listens for single keys while a service runs on a terminal.
 *
 * @returns A function that restores the terminal; undefined if the user cannot press keys.
 */
function listenForServiceKeys(deps: ServiceKeysDeps): (() => void) | undefined {
  const {context, write, stop} = deps;
  const style = styleOf(context.stderr, context);
  const keys = createKeys(deps, style);
  const report = (error: unknown): void => write(`crewroom: ${String(error)}\n`);
  return context.stdin.readKeys(pressed => {
    if (pressed === CTRL_C) stop.ask('SIGINT');
    else if (pressed === '\r') write('\n');
    else {
      const found = keys.find(({key}) => key === pressed.toLowerCase());
      void Promise.resolve(found?.press()).catch(report);
    }
  });
}

function createKeys(deps: ServiceKeysDeps, style: Style): readonly Key[] {
  const {write, stop, requests, print} = deps;
  const say = (text: string): void => write(`${text === '' ? '' : style.dim(text)}\n`);
  const showLast = async (isShown: (request: RecordedRequest) => boolean): Promise<void> => {
    const shown = (await requests.read()).requests.filter(isShown);
    say(shown.length === 0 ? 'No requests yet' : `The last requests, at most ${SHOWN_REQUESTS}:`);
    for (const request of shown.slice(-SHOWN_REQUESTS)) print(request);
    if (shown.length > 0) say('');
  };
  const keys: readonly Key[] = [
    {
      key: 'h',
      purpose: 'show this help',
      press: () => write(`\n${keys.map(({key, purpose}) => `  ${style.bold(key)}  ${purpose}\n`).join('')}\n`),
    },
    {
      key: 'o',
      purpose: 'open the console in a browser, as the owner',
      press: async () => say(await openAsOwner(deps)),
    },
    {key: 'r', purpose: `show the last ${SHOWN_REQUESTS} requests`, press: () => showLast(({own}) => !own)},
    {key: 'a', purpose: 'show them all, also of files of pages, and of the console', press: () => showLast(() => true)},
    {
      key: 'q',
      purpose: 'stop the service',
      press: () => {
        // Ctrl+C, pressed twice, ends it at once; this key does not.
        if (!stop.isAsked()) stop.ask('SIGINT');
      },
    },
  ];
  return keys;
}

/**
 * Opens the console with a fresh code of the owner, or without one if the service gives none.
 *
 * @returns The result, for the user, with the plain address: a terminal keeps what it shows longer than a code may be seen.
 */
async function openAsOwner({context, address, config}: ServiceKeysDeps): Promise<string> {
  const plain = `${address}/`;
  let refusal: string | undefined;
  const {url} = await createOwnCode({config, url: address}, context).catch(error => {
    refusal = messageOf(error);
    return {url: plain};
  });
  const problem = await openAddress(url, context);
  if (problem !== undefined) {
    const command = `crewroom console --print --port ${new URL(address).port}`;
    return `Cannot open a browser: ${problem}; open ${plain} to read, or what "${command}" prints as the owner`;
  }
  return refusal === undefined
    ? `Opened the console as the owner; ${plain} only reads`
    : `Opened ${plain}, which only reads. ${refusal}`;
}
