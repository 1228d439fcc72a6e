import {useSignal} from '@preact/signals';
import {useEffect, useLayoutEffect, useRef} from 'preact/hooks';
import {usePart} from '../shell/use-part.ts';
import type {JsonEditor, JsonEditorParts} from './json-editor.ts';

type JsonViewProps = Omit<JsonEditorParts, 'parent'>;

/** A JSON text with highlighting, to edit or to read. The editor is a file of its own, which is loaded when the first entry is opened. */
export function JsonView({text, label, onEdit, onSave, exactText, since}: JsonViewProps) {
  const element = useRef<HTMLDivElement>(null);
  const {value: Editor, isMissing} = usePart(async () => (await import('./json-editor.ts')).JsonEditor);
  const editor = useSignal<JsonEditor | undefined>(undefined);
  const last = useRef({text, onEdit, onSave, exactText});
  last.current = {text, onEdit, onSave, exactText};
  const isReadOnly = onEdit === undefined;
  useEffect(() => {
    if (Editor === undefined || element.current === null) return;
    const editing = isReadOnly ? {} : {onEdit: (typed: string) => last.current.onEdit?.(typed)};
    const onSave = (): void => last.current.onSave?.();
    const copied = (): string => last.current.exactText?.() ?? last.current.text;
    const parts = {
      parent: element.current,
      text: last.current.text,
      label,
      ...editing,
      onSave,
      exactText: copied,
      since,
    };
    editor.value = new Editor(parts);
    return () => {
      editor.value?.dispose();
      editor.value = undefined;
    };
  }, [Editor, label, isReadOnly, editor, since]);
  // Before the next key: a later effect would show a text that the user has changed meanwhile.
  useLayoutEffect(() => editor.value?.show(text), [text, editor.value]);
  return (
    <div class="json">
      <div class="json-editor" ref={element} data-home={isReadOnly ? undefined : ''} />
      {editor.value === undefined && <pre class="json-plain">{isMissing ? text : 'Loading…'}</pre>}
    </div>
  );
}
