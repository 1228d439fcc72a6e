import './faults.css';
import {useMemo} from 'preact/hooks';
import type {Fault} from '../service/documents.ts';
import {clickIf} from '../shell/click-if.ts';
import {Command} from '../shell/command.tsx';
import {EmptyState} from '../shell/empty-state.tsx';
import {FailureNote} from '../shell/failure-note.tsx';
import {serviceCommand} from '../shell/format/example-commands.ts';
import {Loading} from '../shell/loading.tsx';
import {OwnerNote} from '../shell/owner-note.tsx';
import type {PageProps} from '../shell/page-props.ts';
import type {ConsoleState} from '../state/console-state.ts';
import {FaultForm} from './fault-form.tsx';
import {describeFault, describeSelection, FAULT_KINDS} from './fault-kinds.ts';
import {FaultsState} from './faults-state.ts';

/** The page "Faults": what fails on purpose. */
export function FaultsPage({state}: PageProps) {
  const faults = useMemo(() => new FaultsState(state.faults), [state]);
  const isConnected = state.connection.status.value === 'connected';
  const failure = faults.failure.value ?? (isConnected ? state.faults.failure.value : undefined);
  return (
    <section class="page" aria-labelledby="page-title">
      <h1 id="page-title">Faults</h1>
      <p class="quiet">
        See how plugins cope when things go wrong. Faults change what callers see, and nothing that is stored; they end
        with the service.
      </p>
      <OwnerNote state={state} />
      {failure !== undefined && <FailureNote failure={failure} />}
      <ActiveFaults state={state} faults={faults} />
      <FaultForm faults={faults} drafts={state.drafts} isOwner={state.isOwner.value} />
    </section>
  );
}

function ActiveFaults({state, faults}: {readonly state: ConsoleState; readonly faults: FaultsState}) {
  const list = state.faults.value.value?.faults;
  if (list === undefined) return <Loading unless={state.faults.failure.value} />;
  const mayChange = state.isOwner.value && !faults.isSending.value;
  return (
    <section class="card" aria-labelledby="active-faults">
      <div class="page-head apart">
        <h2 id="active-faults" tabIndex={-1} data-home>
          Switched on
        </h2>
        {list.length > 1 && (
          <button type="button" {...clickIf(mayChange, () => void faults.clear())}>
            Clear all
          </button>
        )}
      </div>
      {list.length === 0 && (
        <EmptyState glyph="faults" title="Nothing fails on purpose.">
          <p>Switch a fault on below, or from a terminal:</p>
          <Command text={serviceCommand('fault delay 500ms')} />
        </EmptyState>
      )}
      <ul class="fault-list">
        {/* Faults have no names, and equal ones may be on twice. */}
        {list.map((fault, at) => (
          <FaultItem
            key={at}
            fault={fault}
            ofKind={list.filter(({kind}) => kind === fault.kind).length}
            mayChange={mayChange}
            onClear={() => void faults.removeKind(fault.kind)}
          />
        ))}
      </ul>
    </section>
  );
}

interface FaultItemProps {
  readonly fault: Fault;
  /** Number of faults of its kind. They end together: the service ends faults by their kind, so that no fault of another program is lost. */
  readonly ofKind: number;
  readonly mayChange: boolean;
  readonly onClear: () => void;
}

function FaultItem({fault, ofKind, mayChange, onClear}: FaultItemProps) {
  const selection = describeSelection(fault);
  const effect = Object.hasOwn(FAULT_KINDS, fault.kind) ? FAULT_KINDS[fault.kind]?.effect : undefined;
  return (
    <li class="fault apart">
      <div class="fault-text">
        <p>
          <strong>
            <bdi>{describeFault(fault)}</bdi>
          </strong>
        </p>
        {selection !== undefined && (
          <p>
            <bdi>{selection}</bdi>
          </p>
        )}
        {effect !== undefined && <p class="quiet">{effect}</p>}
      </div>
      <button type="button" {...clickIf(mayChange, onClear)}>
        {ofKind === 1 ? 'Clear' : `Clear all ${ofKind} of this kind`}
        <span class="hidden"> {describeFault(fault)}</span>
      </button>
    </li>
  );
}
