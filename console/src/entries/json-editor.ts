import {defaultKeymap, history, historyKeymap} from '@codemirror/commands';
import {json} from '@codemirror/lang-json';
import {bracketMatching, HighlightStyle, syntaxHighlighting} from '@codemirror/language';
import {unifiedMergeView} from '@codemirror/merge';
import {EditorState, type Extension} from '@codemirror/state';
import {EditorView, highlightSpecialChars, keymap, lineNumbers} from '@codemirror/view';
import {tags} from '@lezer/highlight';
import {SHORTCUTS} from '../shell/keys/shortcuts.ts';

/** Text and commands of an editor. */
export interface JsonEditorParts {
  readonly parent: HTMLElement;
  readonly text: string;
  /** Name of the editor, for assistive technology. */
  readonly label: string;
  /** Called with the text after each change of the user; absent if the user may not change it. */
  readonly onEdit?: ((text: string) => void) | undefined;
  readonly onSave?: (() => void) | undefined;
  /** Returns the text to copy when all of it is selected. @default {what is shown} */
  readonly exactText?: (() => string) | undefined;
  /** Another text, whose differences are marked. @default {none} */
  readonly since?: string | undefined;
}

/** An editor of JSON text, which keeps every character as it is. */
export class JsonEditor {
  readonly #view: EditorView;
  /** The text as it was last given or reported, so that equal texts are recognised without reading the document. */
  #text: string;
  #isShowing = false;

  constructor({parent, text, label, onEdit, onSave, exactText, since}: JsonEditorParts) {
    this.#text = text;
    const changes = EditorView.updateListener.of(({docChanged, state}) => {
      if (!docChanged || this.#isShowing) return;
      this.#text = state.doc.toString();
      onEdit?.(this.#text);
    });
    const save = (): boolean => {
      onSave?.();
      return true;
    };
    const editing = [
      history(),
      keymap.of([{key: `Mod-${SHORTCUTS.save.keys[0]}`, run: save}, ...historyKeymap, ...defaultKeymap]),
      changes,
    ];
    const reading = [EditorState.readOnly.of(true), EditorView.editable.of(false)];
    const copying = EditorView.clipboardOutputFilter.of((copied, {doc}) =>
      copied.length === doc.length ? (exactText?.() ?? copied) : copied,
    );
    // The policy of the page forbids style elements. In a shadow tree the editor has constructed style sheets instead.
    const root = parent.shadowRoot ?? parent.attachShadow({mode: 'open'});
    this.#view = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: text,
        extensions: [
          commonExtensions(label),
          copying,
          onEdit === undefined ? reading : editing,
          since === undefined ? [] : unifiedMergeView({original: since, mergeControls: false}),
        ],
      }),
    });
  }

  /** Shows another text, if it is another. */
  show(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#isShowing = true;
    this.#view.dispatch({changes: {from: 0, to: this.#view.state.doc.length, insert: text}});
    this.#isShowing = false;
  }

  focus(): void {
    this.#view.focus();
  }

  dispose(): void {
    this.#view.destroy();
  }
}

function commonExtensions(label: string): Extension {
  return [
    // By default CR and CRLF would become LF.
    EditorState.lineSeparator.of('\n'),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({'aria-label': label, tabindex: '0'}),
    lineNumbers(),
    highlightSpecialChars(),
    bracketMatching(),
    json(),
    syntaxHighlighting(HIGHLIGHTING),
    THEME,
  ];
}

/** The colours of the page, which follow its theme. */
const HIGHLIGHTING = HighlightStyle.define([
  {tag: tags.propertyName, color: 'var(--interactive)'},
  {tag: tags.string, color: 'var(--good)'},
  {tag: [tags.number, tags.bool, tags.null], color: 'var(--warning)'},
]);

const THEME = EditorView.theme({
  '&': {height: '100%', color: 'var(--text)'},
  '&.cm-focused': {outline: '2px solid var(--focus)', outlineOffset: '-2px'},
  '.cm-scroller': {overflow: 'auto', fontFamily: 'inherit', fontSize: '0.85rem', lineHeight: '1.5'},
  '.cm-content': {caretColor: 'var(--text)'},
  '.cm-gutters': {border: '0', backgroundColor: 'transparent', color: 'var(--text-quiet)'},
  '&.cm-focused .cm-matchingBracket': {backgroundColor: 'var(--line)'},
  '&.cm-merge-b .cm-deletedText': {background: 'none', textDecoration: 'line-through'},
  '.cm-specialChar': {color: 'var(--danger)'},
});
