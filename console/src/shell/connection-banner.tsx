import type {Connection} from '../state/connection.ts';
import {OwnerWay} from './owner-note.tsx';

/** Reports that the service does not answer, or only to the owner. The page reconnects by itself. */
export function ConnectionBanner({connection}: {readonly connection: Connection}) {
  return (
    <div role="status">
      {connection.status.value === 'lost' && (
        <div class="banner">{connection.needsOwner.value ? <OwnerNeeded /> : <Away connection={connection} />}</div>
      )}
    </div>
  );
}

function OwnerNeeded() {
  return (
    <p>
      <strong>The service shows its data only to its owner:</strong> <OwnerWay />
    </p>
  );
}

function Away({connection}: {readonly connection: Connection}) {
  return (
    <>
      <p>
        <strong>The service does not answer.</strong> It may be stopped or restarting. This page reconnects by itself.
      </p>
      <button type="button" onClick={() => connection.retryNow()}>
        Try now
      </button>
    </>
  );
}
