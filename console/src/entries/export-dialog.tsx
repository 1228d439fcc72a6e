import {useSignal} from '@preact/signals';
import {useEffect, useMemo} from 'preact/hooks';
import type {CallFailure} from '../service/call-service.ts';
import {clickIf} from '../shell/click-if.ts';
import {Dialog} from '../shell/dialog.tsx';
import {FailureNote} from '../shell/failure-note.tsx';
import {formatBytes} from '../shell/format/format-figures.ts';
import {Marked} from '../shell/marked.tsx';
import {toCallFailure} from '../state/loaded.ts';
import {type ExportProgress, exportEntries} from './transfer-calls.ts';

type Status = {readonly kind: 'ready' | 'running' | 'done'} | {readonly kind: 'failed'; readonly failure: CallFailure};

/** Exports the entries under the prefix of the list into a file. */
export function ExportDialog({prefix, onClose}: {readonly prefix: string; readonly onClose: () => void}) {
  const progress = useSignal<ExportProgress>({entries: 0, sizeBytes: 0});
  const status = useSignal<Status>({kind: 'ready'});
  const left = useMemo(() => new AbortController(), []);
  useEffect(() => () => left.abort(), [left]);
  const start = async (): Promise<void> => {
    status.value = {kind: 'running'};
    const onProgress = (now: ExportProgress): void => {
      progress.value = now;
    };
    try {
      saveFile(await exportEntries({prefix, onProgress, signal: left.signal}), 'entries.ndjson');
      status.value = {kind: 'done'};
    } catch (error) {
      if (!left.signal.aborted) status.value = {kind: 'failed', failure: toCallFailure(error)};
    }
  };
  const {entries, sizeBytes} = progress.value;
  const {kind} = status.value;
  return (
    <Dialog title="Export entries" onClose={onClose}>
      <p>
        {prefix === '' ? (
          'All entries, as they are at one moment, one on each line.'
        ) : (
          <>
            All entries whose keys begin with{' '}
            <code>
              <Marked text={prefix} />
            </code>
            , one on each line.
          </>
        )}
      </p>
      <div role="status">
        {kind === 'running' && <progress aria-label="Export" />}
        {(kind === 'running' || kind === 'done') && (
          <p>
            {kind === 'done' ? 'Saved: ' : ''}
            {entries.toLocaleString('en')} entries, {formatBytes(sizeBytes)}
          </p>
        )}
        {status.value.kind === 'failed' && <FailureNote failure={status.value.failure} />}
      </div>
      <div class="buttons">
        <button type="button" data-home onClick={onClose}>
          {kind === 'running' ? 'Cancel' : 'Close'}
        </button>
        {kind !== 'done' && (
          <button type="button" class="primary" {...clickIf(kind !== 'running', () => void start())}>
            Export
          </button>
        )}
      </div>
    </Dialog>
  );
}

/** Lets the browser save a file. */
function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has taken the file when the tasks of the click are done.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
