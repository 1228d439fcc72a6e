import {useEffect} from 'preact/hooks';
import {formatRoute} from '../route.ts';
import {EmptyState} from '../shell/empty-state.tsx';
import {formatClock} from '../shell/format/format-clock.ts';
import {NoticeText} from './notice-card.tsx';
import type {Notices} from './notices.ts';

/** The list of the last notices. */
export function NoticesView({notices}: {readonly notices: Notices}) {
  const list = notices.list.value;
  useEffect(() => notices.markSeen(), [notices, list]);
  return (
    <section class="page" aria-labelledby="notices-title">
      <header class="page-head apart">
        <h1 id="notices-title">Notifications</h1>
        {list.length > 0 && (
          <button type="button" onClick={() => notices.clear()}>
            Clear
          </button>
        )}
      </header>
      {list.length === 0 && (
        <div class="card">
          <EmptyState glyph="bell" title="No notifications since this page was opened.">
            <p>
              Pages of plugins send them, with <code>notify()</code> of <code>crewroom-ui-sdk</code>: open{' '}
              <a href={formatRoute({view: 'plugins'})}>a plugin</a>.
            </p>
          </EmptyState>
        </div>
      )}
      <ul class="notice-list stack">
        {list.map(notice => (
          <li key={notice.id} class={`apart notice ${notice.type}`}>
            <NoticeText notice={notice} />
            <time dateTime={new Date(notice.atMs).toISOString()}>{formatClock(notice.atMs)}</time>
          </li>
        ))}
      </ul>
    </section>
  );
}
