import './entries.css';
import {type Signal, untracked, useSignal, useSignalEffect} from '@preact/signals';
import {useEffect, useMemo, useRef} from 'preact/hooks';
import {ButtonChoice} from '../shell/button-choice.tsx';
import {clickIf} from '../shell/click-if.ts';
import {SHORTCUTS} from '../shell/keys/shortcuts.ts';
import {plainKeys, useShortcut} from '../shell/keys/use-shortcut.ts';
import {Marked} from '../shell/marked.tsx';
import type {PageProps} from '../shell/page-props.ts';
import {setTo} from '../shell/set-to.ts';
import type {ConsoleState} from '../state/console-state.ts';
import {EntriesState} from './entries-state.ts';
import {EntryView} from './entry-view.tsx';
import {ExportDialog} from './export-dialog.tsx';
import {ImportDialog} from './import-dialog.tsx';
import {NewEntryDialog} from './new-entry-dialog.tsx';
import {RowList} from './row-list.tsx';
import type {Row, View} from './rows.ts';

/** The page "Entries": what plugins stored. The list stays beside the open entry, or behind it on narrow screens. */
export function EntriesPage({state}: PageProps) {
  const entries = useMemo(() => new EntriesState(state.client, state.drafts), [state]);
  const element = useRef<HTMLElement>(null);
  const dialog = useSignal<OpenDialog>(undefined);
  /** Prefix that the last address of the list chose. */
  const addressed = useRef('');
  useEffect(() => state.whileWatched(watched => entries.follow(watched)), [state, entries]);
  useEffect(() => () => entries.leave(), [entries]);
  useSignalEffect(() => {
    const route = state.route.value;
    if (route.view !== 'entries') return;
    // Only the address leads here: what the user types later stays.
    untracked(() => {
      const shown = entries.prefix.value;
      const prefix = route.prefix ?? (shown === addressed.current ? '' : shown);
      if (route.key === undefined) {
        addressed.current = route.prefix ?? '';
        if (prefix !== shown) entries.search(prefix);
      }
      entries.show(route.key);
    });
  });
  useShortcut(SHORTCUTS.search, () => element.current?.querySelector<HTMLInputElement>('.search input')?.focus());
  const onOpen = (row: Row): void => {
    if (row.kind === 'folder') entries.search(row.key);
    else state.navigate({view: 'entries', key: row.key});
  };
  const open = entries.open.value;
  return (
    <section class="entries" data-open={open !== undefined} aria-labelledby="page-title" ref={element}>
      <div class="entries-list">
        <h1 id="page-title">Entries</h1>
        <Toolbar entries={entries} state={state} dialog={dialog} />
        <Search entries={entries} />
        <UnsavedKeys state={state} />
        <p class="print">The list is as long as the store: Export saves it into a file, which can be printed.</p>
        <RowList entries={entries} onOpen={onOpen} onNew={setTo(dialog, 'new')} />
      </div>
      {open !== undefined && (
        <EntryView
          key={open}
          entry={open}
          state={state}
          onClose={() => {
            const prefix = addressed.current;
            const isAddressed = prefix !== '' && prefix === entries.prefix.value;
            state.navigate({view: 'entries', ...(isAddressed ? {prefix} : {})});
          }}
        />
      )}
    </section>
  );
}

/** Ways to the entries that the user has typed and not saved. They may be new, or far away in the list. */
function UnsavedKeys({state}: PageProps) {
  // Without the form in it.
  const views = state.drafts.unsaved.value.map(view => view.split('/').slice(0, 3).join('/'));
  const entries = [...new Set(views)].filter(view => view.startsWith('#/entries/'));
  if (entries.length === 0) return null;
  return (
    <p class="links">
      Not saved:
      {entries.map(view => (
        <a key={view} href={view}>
          <Marked text={decodeURIComponent(view.slice('#/entries/'.length))} />
        </a>
      ))}
    </p>
  );
}

interface ToolbarProps {
  readonly entries: EntriesState;
  readonly state: ConsoleState;
}

/** The dialog that is open. */
type OpenDialog = 'new' | 'export' | 'import' | undefined;

function Toolbar({entries, state, dialog}: ToolbarProps & {readonly dialog: Signal<OpenDialog>}) {
  const open = (which: OpenDialog) => () => {
    dialog.value = which;
  };
  return (
    <div class="buttons">
      <button type="button" class="primary" onClick={open('new')}>
        New entry…
      </button>
      <button type="button" onClick={open('export')}>
        Export…
      </button>
      <button type="button" onClick={open('import')}>
        Import…
      </button>
      <OpenedDialog dialog={dialog} entries={entries} state={state} />
    </div>
  );
}

function OpenedDialog({dialog, entries, state}: ToolbarProps & {readonly dialog: Signal<OpenDialog>}) {
  const prefix = entries.prefix.value;
  const close = setTo(dialog, undefined);
  switch (dialog.value) {
    case undefined:
      return null;
    case 'new': {
      const create = (key: string): void => {
        close();
        entries.begin(key);
        state.navigate({view: 'entries', key});
      };
      return <NewEntryDialog prefix={prefix} drafts={state.drafts} onClose={close} onCreate={create} />;
    }
    case 'export':
      return <ExportDialog prefix={prefix} onClose={close} />;
    case 'import':
      return <ImportDialog onClose={close} />;
  }
}

const VIEWS: Readonly<Record<View, string>> = {list: 'All keys', folders: 'Folders'};

/** The prefix of the list, and whether it shows all keys or one level of folders. */
function Search({entries}: {readonly entries: EntriesState}) {
  const prefix = entries.prefix.value;
  const parent = prefix.replace(/[^/]*\/?$/, '');
  return (
    <search class="search">
      <input
        type="search"
        autocomplete="off"
        spellcheck={false}
        aria-label="Prefix of keys"
        aria-keyshortcuts={plainKeys.value ? SHORTCUTS.search.keys.join(' ') : undefined}
        placeholder="Keys that begin with…"
        value={prefix}
        onInput={event => entries.search(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.isComposing || (event.key !== 'ArrowDown' && event.key !== 'Enter')) return;
          event.preventDefault();
          document.querySelector<HTMLElement>('.rows')?.focus();
        }}
      />
      <button type="button" {...clickIf(prefix !== '', () => entries.search(parent))}>
        Up<span class="hidden"> to the folder above</span>
      </button>
      <ButtonChoice
        legend="View"
        names={VIEWS}
        chosen={entries.view.value}
        onChoose={view => entries.search(prefix, view)}
      />
    </search>
  );
}
