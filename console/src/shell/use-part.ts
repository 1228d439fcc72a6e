import {useSignal} from '@preact/signals';
import {useEffect} from 'preact/hooks';
import {waitMs} from '../state/wait-ms.ts';

/** Wait before a part that could not be loaded is tried again, in milliseconds. Twice as long each time: another version of the service never has it. */
const RETRY_MS = 2000;
const RETRY_MS_MAX = 60_000;

/** A part of the console, which is a file of its own. */
export interface Part<T> {
  /** Undefined until it is loaded. */
  readonly value: T | undefined;
  /** True if it could not be loaded the last time: the service is away, which a banner reports, or has become another version. */
  readonly isMissing: boolean;
}

/**
 * Loads a part of the console when it is first needed, and tries again until it is there or the component is gone.
 *
 * @param load Imports the file. A component that needs another file is another one: it has a key.
 * @param isNeeded False to load nothing yet; true by default.
 */
export function usePart<T>(load: () => Promise<T>, isNeeded = true): Part<T> {
  const part = useSignal<Part<T>>({value: undefined, isMissing: false});
  useEffect(() => {
    if (!isNeeded || part.value.value !== undefined) return;
    const gone = new AbortController();
    const loadOnce = async (): Promise<Part<T>> => {
      try {
        return {value: await load(), isMissing: false};
      } catch {
        return {value: undefined, isMissing: true};
      }
    };
    const loadUntilThere = async (): Promise<void> => {
      for (let retryMs = RETRY_MS; !gone.signal.aborted; retryMs = Math.min(2 * retryMs, RETRY_MS_MAX)) {
        const loaded = await loadOnce();
        if (gone.signal.aborted) return;
        part.value = loaded;
        if (!loaded.isMissing) return;
        await waitMs(retryMs, gone.signal);
      }
    };
    void loadUntilThere();
    return () => gone.abort();
  }, [part, isNeeded]);
  return part.value;
}
