/** Levels of a line. Others count as `info`. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** Address of the service that plugins are written for. A host on another port redirects calls of it. */
const LOG_URL = 'http://localhost:7172/api/log';

/** Maximum duration of a call, in milliseconds: the service is on the same machine. */
const TIMEOUT_MS = 5_000;

/** Name of the log of the host, in the registry of symbols: a bundled copy of this module finds it too. */
const HOST_LOG = Symbol.for('crewroom.log');

/**
 * Logs a message of the plugin. In the process of a background, the host takes it at once and in order; elsewhere it is sent by
 * `POST /api/log`. Secrets that the service knows are masked.
 *
 * @param message - A text, or anything else, which is shown as JSON.
 * @param error - Logged after the message. Members of an error are left out, since those of HTTP clients hold sessions.
 * @returns Resolves when the message was taken. Never rejects: a message that cannot be sent goes to standard error.
 */
export async function log(message: unknown, level: LogLevel | (string & {}) = 'info', error?: unknown): Promise<void> {
  const hostLog: unknown = Reflect.get(globalThis, HOST_LOG);
  if (typeof hostLog === 'function') {
    hostLog(message, level, error);
    return;
  }
  const text = error === undefined ? describe(message) : `${describe(message)}: ${describe(error)}`;
  try {
    await send(JSON.stringify({message: text, level}));
  } catch {
    console.error(text);
  }
}

async function send(body: string): Promise<void> {
  const aborted = new AbortController();
  const timer = setTimeout(() => aborted.abort(), TIMEOUT_MS);
  try {
    const headers = {'content-type': 'application/json'};
    const response = await fetch(LOG_URL, {method: 'POST', headers, body, signal: aborted.signal});
    if (!response.ok) throw new Error(`The service answered ${response.status}`);
  } finally {
    clearTimeout(timer);
  }
}

function describe(value: unknown): string {
  if (value instanceof Error) return value.stack || `${value.name}: ${value.message}`;
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
