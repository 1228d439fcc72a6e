import {useMemo} from 'preact/hooks';
import {FAULT_KINDS} from '../faults/fault-kinds.ts';
import {FaultsState} from '../faults/faults-state.ts';
import {clickIf} from '../shell/click-if.ts';
import {FailureNote} from '../shell/failure-note.tsx';
import {OwnerNote} from '../shell/owner-note.tsx';
import type {ConsoleState} from '../state/console-state.ts';

/** Faults that put the session into another state. */
const STATES = ['session-expired', 'airline-away'];

/** States of the session to try with plugins. Each is a fault, and ends like one. */
export function SessionStates({state}: {readonly state: ConsoleState}) {
  const faults = useMemo(() => new FaultsState(state.faults), [state]);
  const active = state.faults.value.value?.faults;
  const failure = faults.failure.value;
  if (active === undefined) return null;
  const mayChange = state.isOwner.value && !faults.isSending.value;
  const toggle = (kind: string, isOn: boolean): void => {
    void (isOn ? faults.removeKind(kind) : faults.add({kind}));
  };
  return (
    <section class="card" aria-labelledby="states-title">
      <h2 id="states-title">Session states to try</h2>
      <OwnerNote state={state} />
      {failure !== undefined && <FailureNote failure={failure} />}
      <ul class="pilots">
        {STATES.map(kind => {
          const isOn = active.some(fault => fault.kind === kind);
          const {name, effect} = FAULT_KINDS[kind] ?? {name: kind, effect: ''};
          return (
            <li key={kind} class="apart" data-current={isOn}>
              <div class="pilot-text">
                <p>
                  <strong>{name}</strong>
                </p>
                <p>{effect}</p>
              </div>
              <button type="button" {...clickIf(mayChange, () => toggle(kind, isOn))}>
                {isOn ? 'End' : 'Try'}
                <span class="hidden"> {name}</span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
