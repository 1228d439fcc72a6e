import {inspect} from 'node:util';
import {describeProblem} from '../values/problem.ts';

/** Name under which the SDK of backgrounds, also a bundled copy of it, finds the log of its host. */
const HOST_LOG = Symbol.for('crewroom.log');

/** Provides the log to the SDK of backgrounds, which sends lines to the service where there is no such log. */
export function provideLog(): void {
  Reflect.set(globalThis, HOST_LOG, log);
}

/**
 * Logs a message of the plugin, on standard output or, for errors, on standard error: the service adds the id of the plugin and
 * masks secrets.
 */
function log(message: unknown, level?: unknown, error?: unknown): void {
  const text = typeof message === 'string' ? message : inspect(message);
  const line = error === undefined ? text : `${text}: ${describeProblem(error)}`;
  (level === 'error' ? process.stderr : process.stdout).write(`${line}\n`);
}
