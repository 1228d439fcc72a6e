/**
 * Waits until a promise is resolved or rejected, or a signal is aborted. The work behind the promise is not cancelled.
 *
 * @throws The signal's reason.
 */
export function untilAborted<T>(working: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    working.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
    if (signal.aborted) onAbort();
  });
}
