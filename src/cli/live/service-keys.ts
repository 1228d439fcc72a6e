import {spawn} from 'node:child_process';
import type {Requests} from '../../domain/recorded-request.ts';
import {codeOf, messageOf} from '../../failures/error-text.ts';
import {openAddress} from '../../system/open-address.ts';
import {createOwnCode, type OwnService} from '../service/owner-code.ts';
import type {CliContext} from '../terminal/context.ts';
import type {LiveLines} from '../terminal/live-lines.ts';
import type {StopRequest} from '../terminal/stop-request.ts';
import {type Style, styleOf} from '../terminal/style.ts';
import type {RequestPrinter} from './print-requests.ts';

export interface ServiceKeysDeps {
  readonly context: CliContext;
  readonly lines: LiveLines;
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

function createKeys(deps: ServiceKeysDeps, style: Style): readonly Key[] {
  const {context, lines, stop, address, requests, print} = deps;
  const say = (text: string): void => lines.print(`${text === '' ? '' : style.dim(text)}\n`);
  const keys: readonly Key[] = [
    {
      key: 'h',
      purpose: 'show this help',
      press: () => lines.print(`\n${keys.map(({key, purpose}) => `  ${style.bold(key)}  ${purpose}\n`).join('')}\n`),
    },
    {
      key: 'o',
      purpose: 'open the console in a browser, as the owner',
      press: async () => say(await openAsOwner(deps)),
    },
    {
      key: 'r',
      purpose: `show the last ${SHOWN_REQUESTS} requests`,
      press: async () => {
        const page = await requests.read();
        const others = page.requests.filter(({own}) => own !== true);
        say(others.length === 0 ? 'No requests yet' : `The last requests, at most ${SHOWN_REQUESTS}:`);
        for (const request of others.slice(-SHOWN_REQUESTS)) print(request);
        if (others.length > 0) say('');
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

/** Programs that come with the system, and copy their standard input. */
const PROGRAMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {darwin: 'pbcopy', win32: 'clip'};

/**
 * Copies a text to the clipboard: with a program of the system, or else by asking the terminal (OSC 52), which works over SSH too.
 *
 * @returns The result, for the user.
 */
async function copyText(
  text: string,
  {platform, environment, stderr}: Pick<CliContext, 'platform' | 'environment' | 'stderr'>,
): Promise<string> {
  const program = PROGRAMS[platform];
  if (program !== undefined) {
    const problem = await pipeTo(program, text, environment);
    return problem === undefined ? `Copied ${text}` : `Cannot copy ${text}: ${problem}`;
  }
  await stderr.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`);
  return `Asked the terminal to copy ${text}; not every terminal does`;
}

/** Runs a program with a text as its standard input. @returns Its problem, if any. */
function pipeTo(program: string, text: string, env: CliContext['environment']): Promise<string | undefined> {
  return new Promise(resolve => {
    const child = spawn(program, {stdio: ['pipe', 'ignore', 'ignore'], env});
    child.once('error', error =>
      resolve(codeOf(error) === 'ENOENT' ? `there is no program "${program}"` : messageOf(error)),
    );
    child.once('exit', exitCode => resolve(exitCode === 0 ? undefined : `${program} failed`));
    // A program that fails may not read it. Without file descriptors there is no pipe.
    child.stdin?.on('error', () => {}).end(text);
  });
}
