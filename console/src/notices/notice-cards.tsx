import {Glyph} from '../shell/glyph.tsx';
import type {Notice, Notices} from './notices.ts';

/** The notices on the screen. Screen readers read new ones out. */
export function NoticeCards({notices}: {readonly notices: Notices}) {
  return (
    <div class="notices" role="log" aria-label="New notifications">
      {notices.visible.value.map(notice => (
        <div key={notice.id} class={`notice ${notice.type}`} role={notice.type === 'danger' ? 'alert' : undefined}>
          <NoticeText notice={notice} />
          <button type="button" class="plain" onClick={() => notices.close(notice.id)}>
            <Glyph name="close" />
            <span class="hidden">Close</span>
          </button>
        </div>
      ))}
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
