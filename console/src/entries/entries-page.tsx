import './entries.css';
import {type Signal, untracked, useSignal, useSignalEffect} from '@preact/signals';
import {useEffect, useMemo, useRef} from 'preact/hooks';
import {SHORTCUTS} from '../shell/keys/shortcuts.ts';
import {useShortcut} from '../shell/keys/use-shortcut.ts';
import type {PageProps} from '../shell/page-props.ts';
import type {ConsoleState} from '../state/console-state.ts';
import {EntriesState} from './entries-state.ts';
import {EntryView} from './entry-view.tsx';
import {ExportDialog} from './export-dialog.tsx';
import {ImportDialog} from './import-dialog.tsx';
import {NewEntryDialog} from './new-entry-dialog.tsx';
import {RowList} from './row-list.tsx';
import type {Row, View} from './rows.ts';

/** The page "Entries": what plugins have stored. The list stays beside the open entry, or behind it on narrow screens. */
export function EntriesPage({state}: PageProps) {
  const entries = useMemo(() => new EntriesState(state.client, state.drafts), [state]);
  const element = useRef<HTMLElement>(null);
  const dialog = useSignal<OpenDialog>(undefined);
  /** Prefix that the last address of the list chose. */
  const addressed = useRef('');
  useEffect(() => {
    const left = new AbortController();
    state.whileWatched(left.signal, watched => entries.follow(watched));
    left.signal.addEventListener('abort', () => entries.leave());
    return () => left.abort();
  }, [state, entries]);
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
        <RowList
          entries={entries}
          onOpen={onOpen}
          onNew={() => {
            dialog.value = 'new';
          }}
        />
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
            element.current?.querySelector<HTMLElement>('.rows')?.focus();
          }}
        />
      )}
    </section>
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
    <div class="entries-bar">
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
  const close = (): void => {
    dialog.value = undefined;
  };
  switch (dialog.value) {
    case undefined:
      return null;
    case 'new': {
      const create = (key: string): void => {
        close();
        entries.begin(key);
        state.navigate({view: 'entries', key});
      };
      return <NewEntryDialog prefix={prefix} onClose={close} onCreate={create} />;
    }
    case 'export':
      return <ExportDialog prefix={prefix} onClose={close} />;
    case 'import':
      return <ImportDialog onClose={close} />;
  }
}

const VIEWS: readonly (readonly [view: View, name: string])[] = [
  ['list', 'All keys'],
  ['folders', 'Folders'],
];

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
        aria-keyshortcuts={SHORTCUTS.search.keys.join(' ')}
        placeholder="Keys that begin with…"
        value={prefix}
        onInput={event => entries.search(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.isComposing || (event.key !== 'ArrowDown' && event.key !== 'Enter')) return;
          event.preventDefault();
          document.querySelector<HTMLElement>('.rows')?.focus();
        }}
      />
      <button type="button" disabled={prefix === ''} onClick={() => entries.search(parent)}>
        Up<span class="hidden"> to the folder above</span>
      </button>
      <fieldset class="views">
        <legend class="hidden">View</legend>
        {VIEWS.map(([view, name]) => (
          <button
            key={view}
            type="button"
            aria-pressed={entries.view.value === view}
            onClick={() => entries.search(prefix, view)}
          >
            {name}
          </button>
        ))}
      </fieldset>
    </search>
  );
}
