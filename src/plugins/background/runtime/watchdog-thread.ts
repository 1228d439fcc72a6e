import {Socket} from 'node:net';
import {WATCHDOG_FD} from '../channel/message.ts';
import {Outbox} from '../channel/outbox.ts';
import {killGroup} from './kill-group.ts';

/** Interval at which the memory of the process is measured, in milliseconds. */
const MEMORY_INTERVAL_MS = 1000;

// The service holds the other end. The operating system closes it when the service ends, however that happens.
const service = new Socket({fd: WATCHDOG_FD});
service.on('error', killGroup).on('close', killGroup).resume();
const outbox = new Outbox(service);
reportMemory();
setInterval(reportMemory, MEMORY_INTERVAL_MS);

function reportMemory(): void {
  outbox.send({kind: 'memory', sizeBytes: process.memoryUsage.rss()});
}
