import {execFile} from 'node:child_process';
import {get} from 'node:http';
import {promisify} from 'node:util';
import {formatAddress} from './loopback.ts';
import {findLinuxListener} from './port-holder-linux.ts';

/** An address that something listens on. */
export interface ListenAddress {
  /** An IP address, such as `127.0.0.1` or `::1`. */
  readonly address: string;
  readonly port: number;
}

/** What is known of the process that listens on an address; never nothing at all. */
export interface PortHolder {
  readonly processId?: number | undefined;
  /** The name of the program. Never its arguments: they may be secrets. */
  readonly command?: string | undefined;
  /** The user who opened the socket, on Linux. */
  readonly userId?: number | undefined;
  /** The version of Crewroom, when that is what answers there. */
  readonly crewroomVersion?: string | undefined;
}

/** What a search asks the system; tests stand in for systems that they do not run on. */
export interface PortSystem {
  readonly platform: NodeJS.Platform;
  /** What a program prints. Rejects when there is no such program or it takes too long. */
  run(command: string, args: readonly string[]): Promise<string>;
}

/** How long a program of the system may take, in milliseconds: `netstat` can be slow, and people wait. */
const RUN_TIMEOUT_MS = 2000;

/** How long whoever listens may take to say what it is, in milliseconds. */
const ASK_TIMEOUT_MS = 500;

const THIS_SYSTEM: PortSystem = {
  platform: process.platform,
  run: async (command, args) => {
    const {stdout} = await promisify(execFile)(command, args, {timeout: RUN_TIMEOUT_MS, windowsHide: true});
    return stdout;
  },
};

/**
 * Finds out who listens on an address. Takes some seconds at most and never fails.
 *
 * @returns Undefined when nobody does, or when the system does not tell.
 */
export async function findPortHolder(
  listened: ListenAddress,
  system: PortSystem = THIS_SYSTEM,
): Promise<PortHolder | undefined> {
  const [listener, crewroomVersion] = await Promise.all([
    findListener(listened, system).catch(() => undefined),
    askForCrewroom(listened).catch(() => undefined),
  ]);
  return listener === undefined && crewroomVersion === undefined ? undefined : {...listener, crewroomVersion};
}

/** A holder in words, such as `Crewroom 0.1.0 (process 4711)` or `node (process 4711)`. */
export function describePortHolder({processId, command, userId, crewroomVersion}: PortHolder): string {
  const name = crewroomVersion === undefined ? command : `Crewroom ${crewroomVersion}`;
  if (processId !== undefined) return name === undefined ? `process ${processId}` : `${name} (process ${processId})`;
  const owner = userId === undefined ? '' : ` of user ${userId}`;
  return name === undefined ? `a program${owner}` : `${name}${owner}`;
}

function findListener(listened: ListenAddress, system: PortSystem): Promise<PortHolder | undefined> {
  switch (system.platform) {
    case 'linux':
      return findLinuxListener(listened);
    case 'win32':
      return findWindowsListener(listened, system);
    default:
      // macOS brings lsof along, and so do most others.
      return findWithLsof(listened, system);
  }
}

async function findWithLsof({address, port}: ListenAddress, {run}: PortSystem): Promise<PortHolder | undefined> {
  const output = await run('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpcn']);
  const wanted = addressForms({address, port}, '*');
  let holder: PortHolder = {};
  for (const line of output.split('\n')) {
    const text = line.slice(1);
    // A process with its command, and after them each of its sockets.
    if (line.startsWith('p')) holder = {processId: Number(text)};
    else if (line.startsWith('c')) holder = {...holder, command: text};
    else if (line.startsWith('n') && wanted.has(text)) return holder;
  }
  return undefined;
}

async function findWindowsListener(listened: ListenAddress, {run}: PortSystem): Promise<PortHolder | undefined> {
  const wanted = addressForms(listened, listened.address.includes(':') ? '[::]' : '0.0.0.0');
  for (const line of (await run('netstat', ['-ano'])).split('\n')) {
    const [protocol, local = '', foreign = '', , id = ''] = line.trim().split(/\s+/);
    // The state is in the language of the user; the port 0 on the other side is not.
    if (protocol !== 'TCP' || !wanted.has(local) || !foreign.endsWith(':0')) continue;
    const processId = Number(id);
    const task = await run('tasklist', ['/FI', `PID eq ${processId}`, '/FO', 'CSV', '/NH']).catch(() => '');
    return {processId, command: /^"([^"]+)"/.exec(task.trim())?.[1]};
  }
  return undefined;
}

/** An address as programs print it, and the one that stands for all. */
function addressForms({address, port}: ListenAddress, any: string): ReadonlySet<string> {
  return new Set([formatAddress(address, port), `${any}:${port}`]);
}

/** The version of the Crewroom that answers at an address, if one does. */
function askForCrewroom({address, port}: ListenAddress): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const request = get({
      host: address,
      port,
      path: '/api',
      headers: {Host: `localhost:${port}`},
      agent: false,
      signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
    });
    request.once('error', reject);
    request.once('response', response => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (text.length <= ANSWER_LENGTH_MAX) return;
        resolve(undefined);
        request.destroy();
      });
      response.once('error', reject);
      response.once('close', () => resolve(readVersion(text)));
    });
  });
}

/** More than a service document has, in characters; whoever sends more is something else. */
const ANSWER_LENGTH_MAX = 4096;

function readVersion(text: string): string | undefined {
  try {
    const {name, version} = JSON.parse(text) as {readonly name?: unknown; readonly version?: unknown};
    return name === 'crewroom' && typeof version === 'string' && /^[0-9A-Za-z.+-]{1,40}$/.test(version)
      ? version
      : undefined;
  } catch {
    return undefined;
  }
}
