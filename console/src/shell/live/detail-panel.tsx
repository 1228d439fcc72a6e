import type {ComponentChildren} from 'preact';
import {useLayoutEffect} from 'preact/hooks';
import {Glyph} from '../glyph.tsx';

interface DetailPanelProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** The details of a line, beside the list. Escape closes it. */
export function DetailPanel({title, onClose, children}: DetailPanelProps) {
  // Before the next key: an early Escape would be lost.
  useLayoutEffect(() => {
    const closeByKey = (event: KeyboardEvent): void => {
      // An open dialog has the key for itself.
      if (event.key !== 'Escape' || document.querySelector('dialog[open]') !== null) return;
      onClose();
    };
    addEventListener('keydown', closeByKey);
    return () => removeEventListener('keydown', closeByKey);
  }, [onClose]);
  return (
    <aside class="detail" aria-label={title}>
      <header class="detail-head">
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
