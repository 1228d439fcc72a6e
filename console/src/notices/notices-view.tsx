import {useEffect} from 'preact/hooks';
import {formatClock} from '../shell/format/format-clock.ts';
import {NoticeText} from './notice-card.tsx';
import type {Notices} from './notices.ts';

/** The list of the last notices. */
export function NoticesView({notices}: {readonly notices: Notices}) {
  const list = notices.list.value;
  useEffect(() => notices.markSeen(), [notices, list]);
  return (
    <section class="page" aria-labelledby="notices-title">
      <header class="page-head">
        <h1 id="notices-title">Notifications</h1>
        {list.length > 0 && (
          <button type="button" onClick={() => notices.clear()}>
            Clear
          </button>
        )}
      </header>
      {list.length === 0 && <p class="quiet">No notifications since this page was opened.</p>}
      <ul class="notice-list">
        {list.map(notice => (
          <li key={notice.id} class={`notice ${notice.type}`}>
            <NoticeText notice={notice} />
            <time dateTime={new Date(notice.atMs).toISOString()}>{formatClock(notice.atMs)}</time>
          </li>
        ))}
      </ul>
    </section>
  );
}
