import type {Connection} from '../state/connection.ts';

/** Reports that the service does not answer. The page reconnects by itself. */
export function ConnectionBanner({connection}: {readonly connection: Connection}) {
  return (
    <div role="status">
      {connection.status.value === 'lost' && (
        <div class="banner">
          <p>
            <strong>The service does not answer.</strong> It may be stopped or restarting. This page reconnects by
            itself.
          </p>
          <button type="button" onClick={() => connection.retryNow()}>
            Try now
          </button>
        </div>
      )}
    </div>
  );
}
