import {useEffect} from 'preact/hooks';
import {formatRoute, type Route} from '../route.ts';
import {Glyph} from '../shell/glyph.tsx';
import type {ConsoleState} from '../state/console-state.ts';
import {describeFault} from './fault-kinds.ts';

/** Time between reads of the faults, in milliseconds: no event announces them, and each read is in the request list. */
const INTERVAL_MS = 30_000;

/** Reports on every page that faults are on: otherwise what they do looks like a defect. */
export function FaultsBanner({state}: {readonly state: ConsoleState}) {
  useEffect(() => followFaults(state), [state]);
  const faults = state.faults.value.value?.faults ?? [];
  return (
    <div role="status">
      {faults.length > 0 && (
        <div class="banner">
          <Glyph name="faults" />
          <p>
            <strong>{faults.length === 1 ? 'A fault is on:' : `${faults.length} faults are on:`}</strong>{' '}
            <bdi>{faults.map(describeFault).join(', ')}</bdi>
          </p>
          {state.route.value.view !== 'faults' && <a href={formatRoute({view: 'faults'})}>Look</a>}
        </div>
      )}
    </div>
  );
}

/** Reads the faults when the user comes to the console or changes the page, and now and then. @returns A function that stops it. */
function followFaults({faults, route, connection}: ConsoleState): () => void {
  const left = new AbortController();
  const read = (): void => {
    if (!document.hidden && connection.status.peek() === 'connected') void faults.reload();
  };
  addEventListener('focus', read, {signal: left.signal});
  document.addEventListener('visibilitychange', read, {signal: left.signal});
  let shown = route.peek();
  const readIfLeft = (next: Route): void => {
    if (next !== shown) read();
    shown = next;
  };
  left.signal.addEventListener('abort', route.subscribe(readIfLeft));
  const timer = setInterval(read, INTERVAL_MS);
  left.signal.addEventListener('abort', () => clearInterval(timer));
  return () => left.abort();
}
