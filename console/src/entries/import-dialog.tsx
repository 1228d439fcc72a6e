import {type Signal, useSignal} from '@preact/signals';
import {useEffect, useId, useRef} from 'preact/hooks';
import type {CallFailure} from '../service/call-service.ts';
import type {Imported, ImportMode} from '../service/documents.ts';
import {clickIf} from '../shell/click-if.ts';
import {Command} from '../shell/command.tsx';
import {Dialog} from '../shell/dialog.tsx';
import {FailureNote} from '../shell/failure-note.tsx';
import {toCallFailure} from '../state/loaded.ts';
import {importEntries, type SnapshotBefore, saveBefore} from './transfer-calls.ts';

type Status =
  | {readonly kind: 'ready' | 'saving'}
  /** The part of the file that was sent, from 0 to 1. */
  | {readonly kind: 'checking' | 'importing'; readonly part: number}
  | {readonly kind: 'cancelled'; readonly part: number; readonly saved: SnapshotBefore}
  /** Everything is valid: the user sees what an import would do, and decides. */
  | {readonly kind: 'asking'; readonly result: Imported}
  | {readonly kind: 'done'; readonly result: Imported; readonly saved: SnapshotBefore}
  /** The entries before could not be saved: nothing was imported, and the user decides again. */
  | {readonly kind: 'unsaved'; readonly failure: CallFailure; readonly result: Imported}
  | {readonly kind: 'failed'; readonly failure: CallFailure; readonly saved: SnapshotBefore};

/** Imports an export. The file is checked first, so that the user sees what would change before anything does. */
export function ImportDialog({onClose}: {readonly onClose: () => void}) {
  const file = useSignal<File | undefined>(undefined);
  const mode = useSignal<ImportMode>('merge');
  const status = useSignal<Status>({kind: 'ready'});
  const running = useRef(new AbortController());
  useEffect(() => () => running.current.abort(), []);
  const run = async (dryRun: boolean, saved: SnapshotBefore = {}): Promise<void> => {
    const {storeId, revision} = saved;
    if (file.value === undefined) return;
    const kind = dryRun ? 'checking' : 'importing';
    const keepAfter = revision === undefined ? undefined : `${storeId}-${revision}`;
    let sent = 0;
    const onProgress = (part: number): void => {
      sent = part;
      if (status.value.kind === kind) status.value = {kind, part};
    };
    status.value = {kind, part: 0};
    running.current = new AbortController();
    const {signal} = running.current;
    try {
      const result = await importEntries(file.value, {mode: mode.value, keepAfter, dryRun, onProgress, signal});
      status.value = dryRun ? {kind: 'asking', result} : {kind: 'done', result, saved};
    } catch (error) {
      status.value = signal.aborted
        ? {kind: 'cancelled', part: sent, saved}
        : {kind: 'failed', failure: toCallFailure(error), saved};
    }
  };
  /** Imports what was checked; what it replaces or deletes with `replace` is saved first. */
  const change = async (result: Imported): Promise<void> => {
    if (file.value === undefined) return;
    if (mode.value === 'merge' || result.replaced + result.deleted === 0) return run(false);
    status.value = {kind: 'saving'};
    running.current = new AbortController();
    const {signal} = running.current;
    try {
      const saved = await saveBefore(file.value, signal);
      if (!signal.aborted) await run(false, saved);
    } catch (error) {
      if (!signal.aborted) status.value = {kind: 'unsaved', failure: toCallFailure(error), result};
    }
  };
  const {kind} = status.value;
  const isRunning = kind === 'checking' || kind === 'saving' || kind === 'importing';
  // The user may want to know what was stored.
  const close = kind === 'importing' ? () => running.current.abort() : onClose;
  return (
    <Dialog title="Import entries" onClose={close}>
      <Choices file={file} mode={mode} status={status} isDisabled={isRunning} />
      <div role="status">
        <StatusText status={status.value} mode={mode.value} />
      </div>
      <div class="buttons">
        <button type="button" data-home onClick={close}>
          {kind === 'done' || kind === 'cancelled' ? 'Close' : 'Cancel'}
        </button>
        {status.value.kind === 'asking' || status.value.kind === 'unsaved' ? (
          <ChangeButton status={status.value} mode={mode.value} change={change} goOn={() => run(false)} />
        ) : (
          <button
            type="button"
            class="primary"
            {...clickIf(file.value !== undefined && !isRunning && kind !== 'done', () => void run(true))}
          >
            Check the file
          </button>
        )}
      </div>
    </Dialog>
  );
}

interface ChangeButtonProps {
  readonly status: Extract<Status, {kind: 'asking' | 'unsaved'}>;
  readonly mode: ImportMode;
  readonly change: (result: Imported) => Promise<void>;
  readonly goOn: () => Promise<void>;
}

function ChangeButton({status: {kind, result}, mode, change, goOn}: ChangeButtonProps) {
  return kind === 'unsaved' ? (
    <button type="button" class="danger-button" onClick={() => void goOn()}>
      Replace without a snapshot
    </button>
  ) : (
    <button type="button" class="primary" onClick={() => void change(result)}>
      {mode === 'replace' ? 'Replace' : 'Import'}
    </button>
  );
}

interface ChoicesProps {
  readonly file: Signal<File | undefined>;
  readonly mode: Signal<ImportMode>;
  readonly status: Signal<Status>;
  readonly isDisabled: boolean;
}

const MODES: readonly (readonly [mode: ImportMode, text: string])[] = [
  ['merge', 'Merge: keep entries that the file does not have'],
  ['replace', 'Replace: delete entries that the file does not have, under the prefix of the export'],
];

function Choices({file, mode, status, isDisabled}: ChoicesProps) {
  const id = useId();
  return (
    <fieldset class="import-choices stack" disabled={isDisabled}>
      <legend class="hidden">What to import</legend>
      <label for={id}>A file with an export</label>
      <input
        id={id}
        type="file"
        accept=".ndjson,.jsonl,.json,.txt,application/x-ndjson"
        onChange={event => {
          file.value = event.currentTarget.files?.[0];
          status.value = {kind: 'ready'};
        }}
      />
      {MODES.map(([each, text]) => (
        <label key={each}>
          <input
            type="radio"
            name={`${id}-mode`}
            checked={mode.value === each}
            onChange={() => {
              mode.value = each;
              status.value = {kind: 'ready'};
            }}
          />{' '}
          {text}
        </label>
      ))}
    </fieldset>
  );
}

function StatusText({status, mode}: {readonly status: Status; readonly mode: ImportMode}) {
  switch (status.kind) {
    case 'ready':
      return null;
    case 'checking':
    case 'importing':
      return (
        <p>
          {status.kind === 'checking' ? 'Checking' : 'Importing'}…{' '}
          <progress aria-label="Part of the file that was sent" value={status.part} />
        </p>
      );
    case 'cancelled':
      return (
        <div class="note warning">
          <p>
            Cancelled when {Math.round(status.part * 100)} % of the file was sent. About so much of it is stored, from
            its beginning on.
            {mode === 'replace' && ' Entries that the file lacks are deleted last.'} Import the file again to store the
            rest.
          </p>
          <Undo saved={status.saved} />
        </div>
      );
    case 'asking':
      return (
        <div class={`note ${mode === 'replace' ? 'danger' : 'warning'}`}>
          <p>The file is valid. An import will store {describe(status.result)}. Go on?</p>
        </div>
      );
    case 'saving':
      return <p>Saving the entries before…</p>;
    case 'unsaved':
      return (
        <>
          <FailureNote failure={status.failure} />
          <p>Nothing was changed: without a snapshot this cannot be undone.</p>
        </>
      );
    case 'done':
      return (
        <>
          <p>Imported {describe(status.result)}.</p>
          <Undo saved={status.saved} />
        </>
      );
    case 'failed':
      return (
        <>
          <FailureNote failure={status.failure} />
          <Undo saved={status.saved} />
        </>
      );
  }
}

function Undo({saved: {name, undo}}: {readonly saved: SnapshotBefore}) {
  return name === undefined ? null : (
    <>
      <p>To undo this, run in a terminal:</p>
      <Command text={undo} instead={`Load the snapshot ${name} with “crewroom snapshot load”.`} />
    </>
  );
}

function describe({entries, created, replaced, expired, deleted}: Imported): string {
  const parts = [`${count(created)} new`, `${count(replaced)} replaced`];
  if (expired > 0) parts.push(`${count(expired)} skipped, since they have expired`);
  if (deleted > 0) parts.push(`${count(deleted)} ${deleted === 1 ? 'other' : 'others'} deleted`);
  return `${count(entries)} ${entries === 1 ? 'entry' : 'entries'}: ${parts.join(', ')}`;
}

function count(value: number): string {
  return value.toLocaleString('en');
}
