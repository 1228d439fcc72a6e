/** Time within which further signals count as the same one, in milliseconds. */
const SAME_MS = 3000;

/**
 * Returns a signal that is aborted when the process is interrupted. One Ctrl+C may arrive several times: the terminal
 * sends it to all programs, and npm and tsx forward it. A later signal ends the process.
 */
export function abortOnSignal(): AbortSignal {
  const asked = new AbortController();
  const abort = (): void => {
    if (asked.signal.aborted) return;
    asked.abort();
    setTimeout(() => process.off('SIGINT', abort).off('SIGTERM', abort), SAME_MS).unref();
  };
  process.on('SIGINT', abort).on('SIGTERM', abort);
  return asked.signal;
}
