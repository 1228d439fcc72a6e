import {type ChildProcess, spawn} from 'node:child_process';
import {Socket} from 'node:net';
import type {Readable} from 'node:stream';
import {fileURLToPath} from 'node:url';
import {messageOf} from '../../core/failures/app-error.ts';
import {abandon} from '../../platform/system/exit-limit.ts';
import {withoutProxy} from '../../platform/system/without-proxy.ts';
import {isBackgroundMessage} from './channel/check-message.ts';
import {FrameReader} from './channel/frame.ts';
import {type BackgroundMessage, CHANNEL_FD, type ServiceMessage, WATCHDOG_FD} from './channel/message.ts';
import {Outbox} from './channel/outbox.ts';

/**
 * Maximum heap of a background, in MiB: the limit of the original client is not known; published plugins use about twenty. A
 * process above it is ended by Node.
 */
const HEAP_MIB = 256;

const STDOUT_FD = 1;
const STDERR_FD = 2;

/** The program of a background, which the build bundles. Tests run the service's sources and the built program. */
const PROGRAM = fileURLToPath(new URL('runtime/program/main.cjs', import.meta.url)).replace(
  /([/\\])src([/\\]plugins[/\\]background[/\\]runtime[/\\]program[/\\]main\.cjs)$/,
  '$1dist$2',
);

/** A process to start. */
export interface RuntimeProcessDeps {
  /** Id of the plugin, for the list of processes. */
  readonly id: string;
  /** True if stacks of errors name the sources from which its files were built, by their source maps. */
  readonly usesSourceMaps: boolean;
  readonly environment: ProcessEnvironment;
  readonly workingDirectory: string;
  /** Receives every message with its bytes. */
  readonly onMessage: (message: BackgroundMessage, body: Uint8Array) => void;
  /** Called once, when the process has ended. @param how Such as `exit code 1`. */
  readonly onEnd: (how: string) => void;
  /** Called if the process sends an invalid message. */
  readonly onInvalidMessage: (problem: string) => void;
}

/**
 * A process that runs the program of a background, in a group of its own so that the processes that it starts end with it. Two
 * pipes connect it with the service: one for messages, and one that belongs to its watchdog.
 */
export class RuntimeProcess {
  readonly #child: ChildProcess;
  readonly #channel: Socket;
  readonly #outbox: Outbox;
  #hasEnded = false;

  constructor(deps: RuntimeProcessDeps) {
    const options = [`--max-old-space-size=${HEAP_MIB}`, ...(deps.usesSourceMaps ? ['--enable-source-maps'] : [])];
    this.#child = spawn(process.execPath, [...options, PROGRAM, deps.id], {
      env: {...deps.environment},
      cwd: deps.workingDirectory,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
      // A group of its own. On Windows it would get a window; there Node ends it with this process.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    const end = (how: string): void => {
      if (this.#hasEnded) return;
      this.#hasEnded = true;
      // Processes that it started may still run.
      this.#killGroup();
      deps.onEnd(how);
    };
    // Before the pipes, which are missing if it was not started for want of file descriptors. A process that was started emits `exit` as well.
    this.#child.on('error', error => this.#child.pid === undefined && end(error.message));
    this.#child.once('exit', (code, signal) => end(signal === null ? `exit code ${code}` : `signal ${signal}`));
    this.#channel = this.#open(CHANNEL_FD, deps);
    this.#outbox = new Outbox(this.#channel);
    this.#open(WATCHDOG_FD, deps);
  }

  /** Standard output of the process. */
  get output(): Readable {
    return this.#pipe(STDOUT_FD);
  }

  /** Standard error of the process. */
  get errors(): Readable {
    return this.#pipe(STDERR_FD);
  }

  /** Bytes that the process has not read yet. */
  get waitingBytes(): number {
    return this.#outbox.waitingBytes;
  }

  /** Sends a message, unless the process has ended. @returns False if it is too large to be sent. */
  send(message: ServiceMessage, body?: Uint8Array): boolean {
    return this.#hasEnded || this.#outbox.send(message, body);
  }

  /** Kills the process, and the processes of its group. */
  kill(): void {
    if (!this.#hasEnded) this.#killGroup();
  }

  /** Lets this process end, whatever holds the pipes. To be called when nothing of them is wanted any more. */
  abandon(): void {
    abandon(this.#child);
  }

  #open(descriptor: number, {onMessage, onInvalidMessage}: RuntimeProcessDeps): Socket {
    const pipe = this.#pipe(descriptor);
    const reader = new FrameReader();
    pipe.on('data', (chunk: Uint8Array) => {
      try {
        for (const {message, body} of reader.read(chunk))
          if (isBackgroundMessage(message)) onMessage(message, body);
          else throw new TypeError('Cannot take a message: its form is not known');
      } catch (error) {
        pipe.destroy();
        onInvalidMessage(messageOf(error));
      }
    });
    // The process may end during a write; `exit` reports its end.
    pipe.on('error', () => {});
    return pipe;
  }

  #pipe(descriptor: number): Socket {
    const pipe: unknown = this.#child.stdio?.[descriptor];
    if (pipe instanceof Socket) return pipe;
    throw new Error(`Cannot open pipe ${descriptor}: this process has reached its limit of open files`);
  }

  #killGroup(): void {
    const {pid} = this.#child;
    if (pid === undefined) return;
    try {
      if (process.platform === 'win32') this.#child.kill('SIGKILL');
      else process.kill(-pid, 'SIGKILL');
    } catch {
      // There is no process in the group any more.
    }
  }
}

/**
 * Variables that a background inherits, in upper case. A list of what is needed, since the environment of a service holds secrets
 * of its user: paths and language, proxies and certificates, and the session of the desktop, in which plugins play sounds and open
 * windows. `NODE_OPTIONS` is not among them: it would load other code and open the port of the debugger again.
 */
const INHERITED: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TEMP', 'TMP'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY', 'DBUS_SESSION_BUS_ADDRESS', 'PULSE_SERVER'],
  ...['XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME'],
  ...['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'COMSPEC', 'PATHEXT', 'OS', 'PROCESSOR_ARCHITECTURE'],
  ...['NUMBER_OF_PROCESSORS', 'COMPUTERNAME', 'USERNAME', 'USERPROFILE', 'HOMEDRIVE', 'HOMEPATH'],
  ...['APPDATA', 'LOCALAPPDATA', 'PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'COMMONPROGRAMFILES'],
]);

/** Environment of a process. */
export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/** Returns the environment of a background, from that of the service. */
export function environmentOf(service: ProcessEnvironment): ProcessEnvironment {
  const inherited = Object.entries(service).filter(([name]) => isInherited(name.toUpperCase()));
  return {
    ...Object.fromEntries(inherited),
    ...withoutProxy(service, {isNode: true}),
    // In Electron, `process.execPath` is Electron; the variable makes it behave like Node.
    ELECTRON_RUN_AS_NODE: '1',
  };
}

function isInherited(name: string): boolean {
  return INHERITED.has(name) || name.startsWith('LC_');
}
