import {formatJson} from '../entries/format-json.ts';
import {formatRoute} from '../route.ts';
import {CopyButton} from '../shell/copy-button.tsx';
import {Facts} from '../shell/facts.tsx';
import {DetailPanel} from '../shell/live/detail-panel.tsx';
import {TextBox} from '../shell/text-box.tsx';
import {KIND_NAMES, type ReceivedEvent} from './received-event.ts';

interface EventDetailProps {
  readonly event: ReceivedEvent;
  readonly onClose: () => void;
}

/** The details of an event: its entry or plugin, its times, and its value. */
export function EventDetail({event, onClose}: EventDetailProps) {
  const {kind, receivedMs, revision, key, plugin, text, isCut, sizeBytes, expiresAtMs} = event;
  // A line break in a value is a space in its event.
  const shown = kind === 'entry-written' && !isCut ? formatJson(text) : text;
  return (
    <DetailPanel title={KIND_NAMES[kind]} onClose={onClose}>
      <Facts
        facts={[
          ['Key', key],
          ['Plugin', plugin],
          ['Revision', revision],
          ['Size', sizeBytes === undefined ? undefined : `${sizeBytes.toLocaleString('en')} bytes`],
          ['Expires', expiresAtMs === undefined ? undefined : new Date(expiresAtMs).toLocaleString()],
          ['Received', new Date(receivedMs).toLocaleString()],
        ]}
      />
      {key !== undefined && (
        <p>
          <a href={formatRoute({view: 'entries', key})}>Open the entry</a>
        </p>
      )}
      {text !== '' && <TextBox text={shown} label="Value" />}
      {isCut && <p class="quiet">The value is longer than what is shown here.</p>}
      {text !== '' && !isCut && (
        <p class="detail-actions">
          <CopyButton text={shown} about="the text" />
        </p>
      )}
    </DetailPanel>
  );
}
