import './live-page.css';
import type {Signal} from '@preact/signals';
import {type ComponentChildren, Fragment} from 'preact';
import type {CallFailure} from '../../service/call-service.ts';
import {clickIf} from '../click-if.ts';
import {FailureNote} from '../failure-note.tsx';
import {setTo} from '../set-to.ts';
import type {LiveLine, LiveLines} from './live-lines.ts';
import {LiveList} from './live-list.tsx';
import {PauseButton} from './pause-button.tsx';

interface LivePageProps<T> {
  readonly title: string;
  readonly lines: LiveLines<T>;
  /** Fields that choose lines. */
  readonly filters: ComponentChildren;
  readonly failure: CallFailure | undefined;
  /** Shown while there is no line. */
  readonly empty: ComponentChildren;
  readonly selected: Signal<LiveLine<T> | undefined>;
  /** Returns a line, whose button selects it, or no line. Has to depend on nothing that changes. */
  readonly row: (content: T, isSelected: boolean, onSelect: () => void) => ComponentChildren;
  /** Returns the details of the line that is selected. */
  readonly detail: (content: T, onClose: () => void) => ComponentChildren;
}

/** A page that shows lines as they arrive: its title, its filters, the list, and the details of a line. */
export function LivePage<T>({title, lines, filters, failure, empty, selected, row, detail}: LivePageProps<T>) {
  const shown = selected.value;
  const count = lines.shown.value.length;
  return (
    <section class="live-page" aria-labelledby="page-title">
      <header class="live-head">
        <h1 id="page-title">{title}</h1>
        <span class="quiet live-count">{count === 1 ? '1 line' : `${count.toLocaleString('en')} lines`}</span>
        <button type="button" {...clickIf(count > 0, () => lines.replace([]))}>
          Clear
        </button>
        <PauseButton lines={lines} />
      </header>
      <div class="live-filters">{filters}</div>
      {failure !== undefined && <FailureNote failure={failure} />}
      <div class="live-body">
        <LiveList lines={lines} label={`List of ${title.toLowerCase()}`} empty={empty} selected={shown?.id}>
          {(line, isSelected) => row(line.content, isSelected, setTo(selected, isSelected ? undefined : line))}
        </LiveList>
        {shown !== undefined && <Fragment key={shown.id}>{detail(shown.content, setTo(selected, undefined))}</Fragment>}
      </div>
    </section>
  );
}
