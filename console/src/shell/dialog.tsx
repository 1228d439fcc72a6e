import type {ComponentChildren} from 'preact';
import {useId, useLayoutEffect, useRef} from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  /** Called when the user closes the dialog, also with Escape. */
  readonly onClose: () => void;
  /** True if a click beside the dialog closes it: nothing that the user has typed is lost. @default {false} */
  readonly isLight?: boolean;
  /** Further class of its element. @default {none} */
  readonly name?: string;
  readonly children: ComponentChildren;
}

/** A dialog above the page, open for as long as it is rendered. The browser keeps the focus in it, and returns it afterwards. */
export function Dialog({title, onClose, isLight = false, name = '', children}: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Before the next key: an Escape that comes early would be one of the page.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      class={`dialog ${name}`}
      closedby={isLight ? 'any' : 'closerequest'}
      ref={element}
      aria-labelledby={id}
      // Keys in a dialog are none of the page below.
      onKeyDown={event => event.stopPropagation()}
      onCancel={event => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}
