import {Socket} from 'node:net';
import {WATCHDOG_FD} from '../channel/message.ts';
import {Outbox} from '../channel/outbox.ts';
import {killGroup} from './kill-group.ts';

/** Interval at which the memory of the process is measured, in milliseconds. */
const MEMORY_INTERVAL_MS = 1000;

/** Smallest difference that is reported, in bytes: a message costs more than a measurement, and an idle background sends none. */
const REPORTED_BYTES = 1024 * 1024;

// The service holds the other end. The operating system closes it when the service ends, however that happens.
const service = new Socket({fd: WATCHDOG_FD});
service.on('error', killGroup).on('close', killGroup).resume();
followMemory(new Outbox(service));

function followMemory(outbox: Outbox): void {
  let reportedBytes = Number.NEGATIVE_INFINITY;
  const measure = (): void => {
    const sizeBytes = process.memoryUsage.rss();
    if (Math.abs(sizeBytes - reportedBytes) < REPORTED_BYTES) return;
    reportedBytes = sizeBytes;
    outbox.send({kind: 'memory', sizeBytes});
  };
  measure();
  setInterval(measure, MEMORY_INTERVAL_MS);
}
