// Measures, inside a server, how long its event loop is blocked.
import {monitorEventLoopDelay} from 'node:perf_hooks';

/** Interval of the timer, in milliseconds: this much of each delay is not a stall. */
const RESOLUTION_MS = 1;

/** Starts a measurement at the message "start", and answers "stop" with the longest stall in milliseconds. */
export function watchEventLoop() {
  const delays = monitorEventLoopDelay({resolution: RESOLUTION_MS});
  process.on('message', message => {
    if (message === 'start') {
      delays.reset();
      delays.enable();
    } else if (message === 'stop') {
      delays.disable();
      process.send({stallMs: Math.max(0, delays.max / 1e6 - RESOLUTION_MS)});
    }
    // Only the parent keeps this process running, not the channel.
    process.channel?.unref();
  });
  process.channel?.unref();
}
