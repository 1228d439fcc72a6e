import type {RecordedRequest, Requests} from '../../core/domain/recorded-request.ts';
import {messageOf} from '../../core/failures/app-error.ts';
import {openAddress} from '../../platform/system/open-address.ts';
import {createOwnCode, type OwnService} from '../service/owner-code.ts';
import {type CliContext, type Style, styleOf} from '../terminal/context.ts';
import type {StopRequest} from '../terminal/stop-request.ts';
import type {RequestPrinter} from './print-requests.ts';

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
export function listenForServiceKeys(deps: ServiceKeysDeps): (() => void) | undefined {
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
