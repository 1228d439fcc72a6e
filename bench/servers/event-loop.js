// Measures, inside a server that is asked to, for how long its event loop had no turn.
import {monitorEventLoopDelay} from 'node:perf_hooks';

/** How often the loop should have a turn, in milliseconds: this much of each delay is no delay. */
const RESOLUTION_MS = 1;

/** Starts to measure at the message "start", and answers "stop" with the longest stall in milliseconds. */
export function watchEventLoop() {
  const delays = monitorEventLoopDelay({resolution: RESOLUTION_MS});
  process.on('message', message => {
    if (message === 'start') {
      delays.reset();
      delays.enable();
    } else {
      delays.disable();
      process.send({stallMs: Math.max(0, delays.max / 1e6 - RESOLUTION_MS)});
    }
    // Whoever asks keeps this process, not the channel.
    process.channel?.unref();
  });
  process.channel?.unref();
}
