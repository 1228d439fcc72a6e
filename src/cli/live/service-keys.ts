import type {RecordedRequest, Requests} from '../../domain/recorded-request.ts';
import {openAddress} from '../../system/open-address.ts';
import type {CliContext} from '../terminal/context.ts';
import type {LiveLines} from '../terminal/live-lines.ts';
import type {StopRequest} from '../terminal/stop-request.ts';
import {type Style, styleOf} from '../terminal/style.ts';
import {copyText} from './copy-text.ts';
import type {RequestPrinter} from './print-requests.ts';

export interface ServiceKeysDeps {
  readonly context: CliContext;
  readonly lines: LiveLines;
  readonly stop: StopRequest;
  /** The address of the service, such as `http://localhost:7172`. */
  readonly address: string;
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
  const {context, lines, stop} = deps;
  const style = styleOf(context.stderr, context);
  const keys = createKeys(deps, style);
  const report = (error: unknown): void => lines.print(`crewroom: ${String(error)}\n`);
  return context.stdin.readKeys(pressed => {
    if (pressed === CTRL_C) stop.ask('SIGINT');
    else if (pressed === '\r') lines.print('\n');
    else {
      const found = keys.find(({key}) => key === pressed.toLowerCase());
      void Promise.resolve(found?.press()).catch(report);
    }
  });
}

function createKeys({context, lines, stop, address, requests, print}: ServiceKeysDeps, style: Style): readonly Key[] {
  const say = (text: string): void => lines.print(`${text === '' ? '' : style.dim(text)}\n`);
  const keys: readonly Key[] = [
    {
      key: 'h',
      purpose: 'show this help',
      press: () => lines.print(`\n${keys.map(({key, purpose}) => `  ${style.bold(key)}  ${purpose}\n`).join('')}\n`),
    },
    {
      key: 'o',
      purpose: 'open the console in a browser',
      press: async () => {
        const url = `${address}/`;
        const problem = await openAddress(url, context);
        say(problem === undefined ? `Opened ${url}` : `Cannot open a browser: ${problem}; open ${url} yourself`);
      },
    },
    {
      key: 'r',
      purpose: `show the last ${SHOWN_REQUESTS} requests`,
      press: async () => {
        const page = await requests.read();
        showLast(page.requests.slice(-SHOWN_REQUESTS), {print, say});
      },
    },
    {key: 'c', purpose: 'copy the address', press: async () => say(await copyText(address, context))},
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

function showLast(
  shown: readonly RecordedRequest[],
  {print, say}: {readonly print: RequestPrinter; readonly say: (text: string) => void},
): void {
  const [last] = shown.slice(-1);
  say(last === undefined ? 'No requests yet' : `The last ${shown.length} of ${last.sequence} requests:`);
  for (const request of shown) print(request);
  if (last !== undefined) say('');
}
