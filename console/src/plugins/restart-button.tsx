import {useSignal} from '@preact/signals';
import {type CallFailure, callService} from '../service/call-service.ts';
import {FailureNote} from '../shell/failure-note.tsx';
import {OwnerWay} from '../shell/owner-note.tsx';
import type {ConsoleState} from '../state/console-state.ts';
import {keepFailure} from '../state/loaded.ts';

/** Ends the background of a plugin, and starts it again. */
export function RestartButton({id, state}: {readonly id: string; readonly state: ConsoleState}) {
  const failure = useSignal<CallFailure | undefined>(undefined);
  const call = () => callService(`/api/plugins/${encodeURIComponent(id)}/restart`, {method: 'POST'});
  return (
    <div>
      <button type="button" disabled={!state.isOwner.value} onClick={() => void keepFailure(failure, call)}>
        Restart
      </button>
      {!state.isOwner.value && (
        <span class="quiet">
          {' '}
          To restart it, <OwnerWay />
        </span>
      )}
      {failure.value !== undefined && <FailureNote failure={failure.value} />}
    </div>
  );
}
