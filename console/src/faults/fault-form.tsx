import {useSignal} from '@preact/signals';
import {useId} from 'preact/hooks';
import type {Fault} from '../service/documents.ts';
import {FAULT_KINDS, type FaultValue} from './fault-kinds.ts';
import type {FaultsState} from './faults-state.ts';

interface FaultFormProps {
  readonly faults: FaultsState;
  readonly isOwner: boolean;
}

/** The form that switches a fault on: its kind, and what that kind needs. */
export function FaultForm({faults, isOwner}: FaultFormProps) {
  const kind = useSignal('delay');
  const id = useId();
  const {effect, value, selectsRequests} = FAULT_KINDS[kind.value] ?? {effect: ''};
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    await faults.add(readFault(form));
  };
  return (
    <form class="card" onSubmit={submit} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Switch a fault on</h2>
      <div class="field">
        <label for={id}>Fault</label>
        <select
          id={id}
          name="kind"
          value={kind.value}
          aria-describedby={`${id}-effect`}
          onChange={event => {
            kind.value = event.currentTarget.value;
          }}
        >
          {Object.entries(FAULT_KINDS).map(([each, {name}]) => (
            <option key={each} value={each}>
              {name}
            </option>
          ))}
        </select>
        <p class="field-about quiet" id={`${id}-effect`}>
          {effect}
        </p>
      </div>
      {value !== undefined && <ValueField key={kind.value} value={value} />}
      {selectsRequests === true && <SelectionFields />}
      <div class="form-foot">
        <button type="submit" class="primary" disabled={!isOwner || faults.isSending.value}>
          Switch on
        </button>
      </div>
    </form>
  );
}

function ValueField({value: {member, label, type, initial, suggestions}}: {readonly value: FaultValue}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={member}
        type={type}
        min={1}
        required
        defaultValue={initial}
        autocomplete="off"
        list={suggestions === undefined ? undefined : `${id}-list`}
      />
      {suggestions !== undefined && (
        <datalist id={`${id}-list`}>
          {suggestions.map(each => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </div>
  );
}

/** Fields of the requests that a fault is about, all optional. */
function SelectionFields() {
  return (
    <details>
      <summary>Only some requests</summary>
      <TextField member="path" label="Path" about="* stands for any characters: /api/store/com.example.hello/*" />
      <TextField member="plugin" label="Plugin" about="Only requests of the plugin with this id." />
      <NumberField member="probability" label="Share, in percent" max={100} step="any" about="Of these requests." />
      <NumberField
        member="seed"
        label="Seed"
        max={2 ** 32 - 1}
        step="1"
        about="The same seed draws the same requests."
      />
    </details>
  );
}

interface FieldProps {
  readonly member: string;
  readonly label: string;
  readonly about: string;
}

function TextField({member, label, about}: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} name={member} autocomplete="off" spellcheck={false} aria-describedby={`${id}-about`} />
      <p class="field-about quiet" id={`${id}-about`}>
        {about}
      </p>
    </div>
  );
}

function NumberField({member, label, about, max, step}: FieldProps & {readonly max: number; readonly step: string}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} name={member} type="number" min={0} max={max} step={step} aria-describedby={`${id}-about`} />
      <p class="field-about quiet" id={`${id}-about`}>
        {about}
      </p>
    </div>
  );
}

/** Reads the fault of the form: its members are the fields that have a value. */
function readFault(form: HTMLFormElement): Fault {
  const members = [...new FormData(form)].flatMap(([name, text]) =>
    typeof text === 'string' && text.trim() !== '' ? [[name, readValue(name, text.trim())] as const] : [],
  );
  return Object.fromEntries(members) as Fault;
}

function readValue(name: string, text: string): string | number {
  switch (name) {
    case 'probability':
      return Number(text) / 100;
    case 'delayMs':
    case 'offsetSeconds':
    case 'seed':
      return Number(text);
    default:
      return text;
  }
}
