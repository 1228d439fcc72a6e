import {type Signal, useSignal} from '@preact/signals';
import {useEffect, useId} from 'preact/hooks';
import {formatMoment} from '../shell/format/format-clock.ts';
import {formatDuration} from '../shell/format/format-figures.ts';
import {isPressed, SHORTCUTS} from '../shell/keys/shortcuts.ts';
import {setTo} from '../shell/set-to.ts';
import {type Fields, takeFields} from '../state/drafts.ts';
import type {EntryState} from './entry-state.ts';

/** Units in which a time to live can be given, in seconds. */
const UNITS = [
  ['seconds', 1],
  ['minutes', 60],
  ['hours', 3600],
  ['days', 86_400],
] as const;

/** When an entry expires, counting down, and how to change that. */
export function TimeToLive({entry}: {readonly entry: EntryState}) {
  const saved = entry.saved.value.value;
  const isOpen = useSignal(entry.ttl.peek() !== undefined);
  if (saved == null) return null;
  // Typed text that is not shown could not be discarded.
  const close = (): void => {
    isOpen.value = false;
    entry.ttl.value = undefined;
  };
  return (
    <section
      class="ttl"
      aria-label="Time to live"
      onKeyDown={event => {
        if (!isOpen.value || !isPressed(event, SHORTCUTS.leave)) return;
        event.preventDefault();
        close();
      }}
    >
      <span class="quiet">
        {saved.expiresAtMs === undefined ? 'Never expires' : <Countdown untilMs={saved.expiresAtMs} />}
      </span>
      <button type="button" data-home aria-expanded={isOpen.value} onClick={isOpen.value ? close : setTo(isOpen, true)}>
        Time to live…
      </button>
      {isOpen.value && (
        <TimeToLiveForm
          draft={entry.ttl}
          onSet={ttlSeconds => {
            isOpen.value = false;
            void entry.setExpiry(ttlSeconds);
          }}
        />
      )}
    </section>
  );
}

function Countdown({untilMs}: {readonly untilMs: number}) {
  const nowMs = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      nowMs.value = Date.now();
    }, 1000);
    return () => clearInterval(timer);
  }, [nowMs]);
  return (
    <>
      Expires in <strong>{formatDuration((untilMs - nowMs.value) / 1000)}</strong>, at {formatMoment(untilMs)}
    </>
  );
}

/** Texts that the form shows at first. */
const INITIAL = {count: '15', unit: '60'};

interface TimeToLiveFormProps {
  readonly draft: Signal<Fields | undefined>;
  readonly onSet: (ttlSeconds: number | null) => void;
}

function TimeToLiveForm({draft, onSet}: TimeToLiveFormProps) {
  const id = useId();
  const {count, unit} = {...INITIAL, ...draft.value};
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    onSet(Number(count) * Number(unit));
  };
  return (
    <form class="ttl-form" onSubmit={submit} onInput={takeFields(draft, INITIAL)}>
      <label for={id}>Expires in</label>
      <input id={id} name="count" type="number" min="1" step="1" required={true} value={count} />
      <select name="unit" aria-label="Unit" value={unit}>
        {UNITS.map(([name, seconds]) => (
          <option key={name} value={seconds}>
            {name}
          </option>
        ))}
      </select>
      <button type="submit">Set</button>
      <button type="button" onClick={() => onSet(null)}>
        Never
      </button>
    </form>
  );
}
