import {useId, useMemo} from 'preact/hooks';
import type {Fault} from '../service/documents.ts';
import {clickIf} from '../shell/click-if.ts';
import {setTo} from '../shell/set-to.ts';
import {type Drafts, type Fields, takeFields} from '../state/drafts.ts';
import {FAULT_KINDS, type FaultValue} from './fault-kinds.ts';
import type {FaultsState} from './faults-state.ts';

interface FaultFormProps {
  readonly faults: FaultsState;
  readonly drafts: Drafts;
  readonly isOwner: boolean;
}

/** Members of the requests that a fault is about, both optional. */
const PATH: FaultValue = {member: 'path', label: 'Path', type: 'text', initial: ''};
const PLUGIN: FaultValue = {member: 'plugin', label: 'Plugin', type: 'text', initial: ''};

/** The values that the form shows before the user types. */
const INITIAL: Fields = {
  kind: 'delay',
  ...Object.fromEntries(
    Object.values(FAULT_KINDS).flatMap(({value}) => (value ? [[value.member, value.initial]] : [])),
  ),
};

/** The form that switches a fault on: its kind, and what that kind needs. */
export function FaultForm({faults, drafts, isOwner}: FaultFormProps) {
  const draft = drafts.at<Fields>({view: 'faults'});
  const typed = draft.value ?? {};
  const {kind = 'delay'} = typed;
  // Of each kind anew, and not at each key, since the part would close under the user.
  const selected = useMemo(() => Boolean(typed['path'] || typed['plugin']), [kind]);
  const id = useId();
  const {effect, value, selectsRequests} = FAULT_KINDS[kind] ?? {effect: ''};
  const discard = setTo(draft, undefined);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const sent = draft.peek();
    await faults.add(readFault(event.currentTarget as HTMLFormElement));
    // What is typed meanwhile stays.
    if (faults.failure.value === undefined && draft.peek() === sent) discard();
  };
  return (
    <form class="card" onSubmit={submit} onInput={takeFields(draft, INITIAL)} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Switch a fault on</h2>
      <div class="field">
        <label for={id}>Fault</label>
        <select id={id} name="kind" value={kind} aria-describedby={`${id}-effect`}>
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
      {value !== undefined && <Field key={value.member} typed={typed} value={value} />}
      {selectsRequests === true && (
        <details open={selected}>
          <summary>Only some requests</summary>
          <Field typed={typed} value={PATH}>
            * stands for any characters: /api/store/com.example.hello/*
          </Field>
          <Field typed={typed} value={PLUGIN}>
            Only requests of the plugin with this id.
          </Field>
        </details>
      )}
      <div class="buttons">
        <button type="submit" class="primary" {...clickIf(isOwner && !faults.isSending.value)}>
          Switch on
        </button>
        <button type="button" {...clickIf(draft.value !== undefined, discard)}>
          Discard
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  readonly typed: Fields;
  readonly value: FaultValue;
  /** Said about the field. @default {nothing} */
  readonly children?: string;
}

/** A field of one member of a fault. One without an initial value is optional. */
function Field({typed, value: {member, label, type, initial, suggestions = []}, children}: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={member}
        type={type}
        min={1}
        required={initial !== ''}
        value={typed[member] ?? initial}
        autocomplete="off"
        spellcheck={false}
        list={`${id}-list`}
        aria-describedby={`${id}-about`}
      />
      <p class="field-about quiet" id={`${id}-about`}>
        {children}
      </p>
      <datalist id={`${id}-list`}>
        {suggestions.map(each => (
          <option key={each} value={each} />
        ))}
      </datalist>
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
  return name === 'delayMs' || name === 'offsetSeconds' ? Number(text) : text;
}
