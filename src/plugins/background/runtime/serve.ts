import {Socket} from 'node:net';
import {isServiceMessage} from '../channel/check-message.ts';
import {FrameReader} from '../channel/frame.ts';
import {CHANNEL_FD} from '../channel/message.ts';
import {Outbox} from '../channel/outbox.ts';
import {killGroup} from './kill-group.ts';
import {Plugin} from './plugin.ts';
import {logProblem} from './values/problem.ts';

/** Takes the messages of the service, in their order; the first one loads the plugin. */
export function serve(): void {
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
