import './live-page.css';
import type {ComponentChildren} from 'preact';
import type {CallFailure} from '../../service/call-service.ts';
import {clickIf} from '../click-if.ts';
import {FailureNote} from '../failure-note.tsx';
import type {LiveLines} from './live-lines.ts';
import {PauseButton} from './pause-button.tsx';

interface LivePageProps<T> {
  readonly title: string;
  readonly lines: LiveLines<T>;
  /** Fields that choose lines. */
  readonly filters: ComponentChildren;
  readonly failure: CallFailure | undefined;
  /** The list, and the details of the line that is selected. */
  readonly children: ComponentChildren;
}

/** A page that shows lines as they arrive: its title, its filters, and what it has. */
export function LivePage<T>({title, lines, filters, failure, children}: LivePageProps<T>) {
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
      <div class="live-body">{children}</div>
    </section>
  );
}
