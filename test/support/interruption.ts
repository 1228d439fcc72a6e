/** How long a further signal is taken for the same one, in milliseconds. */
const SAME_MS = 3000;

/**
 * Makes a signal that is aborted when the process is asked to end. One press of Ctrl+C may come several times: the terminal
 * sends it to all programs, and npm and tsx pass on what they got. Whoever asks again later ends the process.
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
