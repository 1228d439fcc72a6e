import {useSignal} from '@preact/signals';
import {useEffect, useMemo} from 'preact/hooks';
import {type CallFailure, callService} from '../service/call-service.ts';
import type {OriginList} from '../service/documents.ts';
import {Dialog} from '../shell/dialog.tsx';
import {FailureNote} from '../shell/failure-note.tsx';
import {OwnerNote} from '../shell/owner-note.tsx';
import {setTo} from '../shell/set-to.ts';
import type {ConsoleState} from '../state/console-state.ts';
import {keepFailure, Loaded} from '../state/loaded.ts';

/** Allows an origin that was refused until the service ends, after the user has seen it once more. Only one that the service itself lists. */
export function AllowOrigin({state, origin}: {readonly state: ConsoleState; readonly origin: string}) {
  const list = useMemo(() => new Loaded(() => callService<OriginList>('/api/allowed-origins')), []);
  const isAsking = useSignal(false);
  useEffect(() => void list.reload(), [list]);
  const known = list.value.value;
  const failure = list.failure.value;
  if (failure !== undefined) return <FailureNote failure={failure} />;
  if (known?.allowed.includes(origin))
    return (
      <div>
        <p class="note" tabIndex={-1} data-home>
          Pages of this origin may call the service now.
        </p>
      </div>
    );
  if (known === undefined || !known.refused.some(each => each.origin === origin)) return null;
  return (
    <div class="stack">
      <p class="buttons">
        <button type="button" disabled={!state.isOwner.value} onClick={setTo(isAsking, true)}>
          Allow this origin…
        </button>
      </p>
      <OwnerNote state={state} />
      {isAsking.value && (
        <AllowDialog
          origin={origin}
          onClose={() => {
            isAsking.value = false;
            void list.reload();
          }}
        />
      )}
    </div>
  );
}

interface AllowDialogProps {
  readonly origin: string;
  readonly onClose: () => void;
}

function AllowDialog({origin, onClose}: AllowDialogProps) {
  const failure = useSignal<CallFailure | undefined>(undefined);
  const call = () => callService('/api/allowed-origins', {method: 'POST', body: {origin}});
  const allow = async (): Promise<void> => {
    if (await keepFailure(failure, call)) onClose();
  };
  return (
    <Dialog title="Allow this origin?" onClose={onClose}>
      <p>
        <code class="ask-origin">
          <bdi>{origin}</bdi>
        </code>
      </p>
      <p>
        Every page of this origin may then read the identity, and read and change all entries, until the service ends.
      </p>
      {failure.value !== undefined && <FailureNote failure={failure.value} />}
      <p class="buttons">
        <button type="button" class="primary" onClick={() => void allow()}>
          Allow
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </p>
    </Dialog>
  );
}
