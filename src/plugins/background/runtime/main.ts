// The program of a background: a process of its own that loads one plugin and answers its calls. Standard output and standard
// error belong to the plugin; the service is reached over two pipes.
import {writeFileSync} from 'node:fs';
import {Socket} from 'node:net';
import {constants, getPriority, setPriority} from 'node:os';
import {Worker} from 'node:worker_threads';
import {isServiceMessage} from '../channel/check-message.ts';
import {FrameReader} from '../channel/frame.ts';
import {CHANNEL_FD} from '../channel/message.ts';
import {Outbox} from '../channel/outbox.ts';
import {killGroup} from './kill-group.ts';
import {Plugin} from './plugin.ts';
import {WATCHDOG_THREAD} from './program/places.ts';
import {logProblem} from './values/problem.ts';

/**
 * Niceness of a background. On a core that both use, one that never returns gets a quarter of the time, and the service three
 * quarters (weights of sched(7)).
 */
const NICENESS = 5;

/** Lets the service go first where a background and the service need the same core. Without effect on Windows. */
function lowerPriority(): void {
  setPriority(Math.min(getPriority() + NICENESS, constants.priority.PRIORITY_LOW));
  if (process.platform !== 'linux') return;
  try {
    // The process has a session of its own, so that Linux may schedule it as a group of its own: then this weight counts
    // (sched(7), "The autogroup feature").
    writeFileSync('/proc/self/autogroup', String(NICENESS));
  } catch {
    // This kernel has no such groups.
  }
}

/** Heap of the watchdog, in MiB: it holds a socket and a timer. */
const HEAP_MIB = 16;

/**
 * Starts a thread that ends the process with the service, also while the main thread never returns, and that reports the memory
 * of the process. Does not wait for the thread, which needs nothing of the main thread to start. If the service ends meanwhile, the
 * thread finds its pipe closed.
 */
function startWatchdog(): void {
  const worker = new Worker(WATCHDOG_THREAD, {
    // Without the flags and the environment of the process, which are meant for the plugin.
    env: {},
    execArgv: [],
    resourceLimits: {maxOldGenerationSizeMb: HEAP_MIB},
  });
  // Without it, the process could outlive the service.
  worker.once('error', killGroup);
  worker.unref();
}

/** Takes the messages of the service, in their order; the first one loads the plugin. */
function serve(): void {
  // Errors outside of calls are logged, and the plugin runs on: published plugins have timers whose requests fail.
  process.on('uncaughtException', error => logProblem('Uncaught exception', error));
  process.on('unhandledRejection', reason => logProblem('Unhandled rejection', reason));
  // On Windows, Ctrl+C in the terminal of the service reaches this process too. The service calls `onEnd` and ends it.
  process.on('SIGINT', () => {});
  const channel = new Socket({fd: CHANNEL_FD});
  const plugin = new Plugin(new Outbox(channel));
  const reader = new FrameReader();
  channel.on('data', chunk => {
    for (const {message, body} of reader.read(chunk)) if (isServiceMessage(message)) plugin.receive(message, body);
  });
  channel.on('error', killGroup).on('close', killGroup);
}

// First: threads that start later inherit it.
lowerPriority();
// Before any code of the plugin runs, which may never return.
startWatchdog();
serve();
