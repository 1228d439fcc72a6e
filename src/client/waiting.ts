import {untilAborted} from '../core/time/until-aborted.ts';

/** Waits for a time. Not `wait` of `core/time/`, whose timers and signals no page needs to load. @throws The signal's reason if it is aborted first. */
export async function waitMs(timeMs: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const elapsed = new Promise<void>(resolve => {
    timer = setTimeout(resolve, timeMs);
  });
  try {
    await untilAborted(elapsed, signal);
  } finally {
    clearTimeout(timer);
  }
}
