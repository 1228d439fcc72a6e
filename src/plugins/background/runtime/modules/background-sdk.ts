import {inspect} from 'node:util';
import {describeProblem} from '../values/problem.ts';

/**
 * Logs a message of the plugin, on standard output or, for errors, on standard error: the service adds the id of the plugin and
 * masks secrets. Returns a promise since plugins may wait for it.
 */
export async function log(message: unknown, level = 'info', error?: unknown): Promise<void> {
  const text = typeof message === 'string' ? message : inspect(message);
  const line = error === undefined ? text : `${text}: ${describeProblem(error)}`;
  (level === 'error' ? process.stderr : process.stdout).write(`${line}\n`);
}
