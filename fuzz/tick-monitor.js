// Reports long ticks of the event loop of the process that loads it with `--import`. Plain JavaScript, since the service runs
// as it is built. Measured inside: readings from outside would include the delays of the fuzzer itself, in which the
// service works through many short ticks for others.
import {readFileSync, writeSync} from 'node:fs';

/** Interval of the timer, in milliseconds: shorter ticks are measured together. */
const INTERVAL_MS = 10;

/** Shortest tick that is reported, in milliseconds. */
const REPORTED_MS_MIN = 25;

/** File descriptor of the reports: a line with the milliseconds of each tick. */
const TICKS_FD = 3;

let lastMs = readClock();
setInterval(() => {
  const nowMs = readClock();
  if (nowMs - lastMs >= REPORTED_MS_MIN) writeSync(TICKS_FD, `${nowMs - lastMs}\n`);
  lastMs = nowMs;
}, INTERVAL_MS).unref();

/** Processor time of the main thread, since other processes may use a busy machine; otherwise wall-clock time. */
function readClock() {
  try {
    // The first number, in nanoseconds (Documentation/scheduler/sched-stats.rst).
    return Number.parseInt(readFileSync('/proc/self/schedstat', 'utf8'), 10) / 1e6;
  } catch {
    return performance.now();
  }
}
