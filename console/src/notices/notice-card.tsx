import {formatRoute} from '../route.ts';
import {Glyph} from '../shell/glyph.tsx';
import type {Notice, Notices} from './notices.ts';

/** The newest notice, and the number of new ones behind it. It has a place of its own, beside the page of a plugin. Screen readers read new ones out. */
export function NoticeCard({notices}: {readonly notices: Notices}) {
  const [notice, ...older] = notices.fresh.value;
  return (
    <div class="notices" role="log" aria-label="New notifications">
      {notice !== undefined && (
        <div
          key={notice.id}
          class={`apart notice ${notice.type}`}
          role={notice.type === 'danger' ? 'alert' : undefined}
        >
          <div>
            <NoticeText notice={notice} />
            {older.length > 0 && <a href={formatRoute({view: 'notifications'})}>{older.length} more</a>}
          </div>
          <button type="button" class="plain" onClick={() => notices.close()}>
            <Glyph name="close" />
            <span class="hidden">Close</span>
          </button>
        </div>
      )}
    </div>
  );
}

/** Source and text of a notice. */
export function NoticeText({notice}: {readonly notice: Notice}) {
  return (
    <p class="notice-text">
      <strong>{notice.source}</strong> {notice.count > 1 && <span class="quiet">{notice.count} times</span>}
      <br />
      {notice.message}
    </p>
  );
}
