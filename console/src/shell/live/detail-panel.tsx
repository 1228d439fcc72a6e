import type {ComponentChildren} from 'preact';
import {Glyph} from '../glyph.tsx';
import {SHORTCUTS} from '../keys/shortcuts.ts';
import {useShortcut} from '../keys/use-shortcut.ts';

interface DetailPanelProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** The details of a line, beside the list. Escape closes it. */
export function DetailPanel({title, onClose, children}: DetailPanelProps) {
  useShortcut(SHORTCUTS.leave, onClose);
  return (
    <aside class="detail" aria-label={title}>
      <header class="detail-head apart">
        <h2>{title}</h2>
        <button type="button" class="plain" onClick={onClose}>
          <Glyph name="close" />
          <span class="hidden">Close the details</span>
        </button>
      </header>
      {children}
    </aside>
  );
}
