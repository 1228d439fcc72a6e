// The program of a background: a process of its own that loads one plugin and answers for it. Standard output and standard
// error belong to the plugin; the service is reached over two pipes.
import {Socket} from 'node:net';
import {isServiceMessage} from '../channel/check-message.ts';
import {FrameReader} from '../channel/frame.ts';
import {CHANNEL_FD} from '../channel/message.ts';
import {Outbox} from '../channel/outbox.ts';
import {killGroup} from './kill-group.ts';
import {Plugin} from './plugin.ts';
import {logProblem} from './problem.ts';
import {startWatchdog} from './watchdog.ts';

// 1. The watchdog runs before any code of the plugin does: the plugin may never return.
await startWatchdog();

// 2. Errors outside of calls are logged, and the plugin runs on: published plugins have timers whose requests fail.
process.on('uncaughtException', error => logProblem('Uncaught exception', error));
process.on('unhandledRejection', reason => logProblem('Unhandled rejection', reason));

// 3. Messages are taken in their order; the first one loads the plugin.
const channel = new Socket({fd: CHANNEL_FD});
const outbox = new Outbox(channel);
const plugin = new Plugin(outbox);
const reader = new FrameReader();
channel.on('data', chunk => {
  for (const {message, body} of reader.read(chunk)) if (isServiceMessage(message)) plugin.receive(message, body);
});
channel.on('error', killGroup).on('close', killGroup);
