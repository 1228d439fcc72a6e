import {SearchField} from '../shell/live/search-field.tsx';
import {type Drafts, type Fields, markSent, takeFields} from '../state/drafts.ts';
import {CHOSEN_KINDS, type EventsState} from './events-state.ts';
import {KIND_NAMES} from './received-event.ts';
import type {ReplayRange} from './replay-range.ts';

interface EventFiltersProps {
  readonly events: EventsState;
  readonly drafts: Drafts;
}

/** Chooses events by their kinds and the prefix of their keys, and where the list begins. */
export function EventFilters({events, drafts}: EventFiltersProps) {
  return (
    <>
      <fieldset class="chips">
        <legend class="hidden">Kinds</legend>
        {CHOSEN_KINDS.map(kind => (
          <label key={kind}>
            <input
              type="checkbox"
              checked={events.kinds.value.has(kind)}
              onChange={({currentTarget}) => events.choose(kind, currentTarget.checked)}
            />
            {KIND_NAMES[kind]}
          </label>
        ))}
      </fieldset>
      <SearchField
        label="Key begins with"
        value={events.prefix.value}
        onType={prefix => (events.prefix.value = prefix)}
      />
      <Replay events={events} drafts={drafts} />
    </>
  );
}

/** Shows changes after a revision again, of those that the service still has. */
function Replay({events, drafts}: EventFiltersProps) {
  const draft = drafts.at<Fields>({view: 'events'});
  const {after = ''} = draft.value ?? {};
  const range = events.range.value;
  const replay = (event: Event): void => {
    event.preventDefault();
    markSent(draft, draft.value);
    void events.replayTyped(Number(after));
  };
  return (
    <form onSubmit={replay} onInput={takeFields(draft, {})}>
      <label>
        Replay after revision
        <input
          type="text"
          name="after"
          class="revision"
          inputMode="numeric"
          autocomplete="off"
          required
          pattern="[0-9]{1,15}"
          title="A revision: 0, or a larger whole number"
          value={after}
          onFocus={() => void events.loadRange()}
        />
      </label>
      <button type="submit">Replay</button>
      {range !== undefined && <span class="quiet replay-range">{describeRange(range)}</span>}
    </form>
  );
}

/** Names the revisions that can be replayed. */
function describeRange({after, last}: ReplayRange): string {
  if (last === after) return 'the log is empty';
  const [first, end] = [after + 1, last].map(each => each.toLocaleString('en'));
  return first === end ? `the log has revision ${first}` : `the log has ${first} to ${end}`;
}
