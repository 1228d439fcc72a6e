import {formatJson} from '../entries/format-json.ts';
import {KeyLink} from '../entries/key-link.tsx';
import {CallerName, PluginLink} from '../plugins/plugin-links.tsx';
import {CopyButton} from '../shell/copy-button.tsx';
import {Facts} from '../shell/facts.tsx';
import {formatMoment} from '../shell/format/format-clock.ts';
import {DetailPanel} from '../shell/live/detail-panel.tsx';
import {TextBox} from '../shell/text-box.tsx';
import type {ConsoleState} from '../state/console-state.ts';
import {KIND_NAMES, type ReceivedEvent} from './received-event.ts';

interface EventDetailProps {
  readonly event: ReceivedEvent;
  readonly state: ConsoleState;
  readonly onClose: () => void;
}

/** The details of an event: its entry or plugin, its times, and its value. */
export function EventDetail({event, state, onClose}: EventDetailProps) {
  const {kind, receivedMs, revision, key, plugin, text, isCut, sizeBytes, expiresAtMs, writtenBy} = event;
  // A line break in a value is a space in its event.
  const shown = kind === 'entry-written' && !isCut ? formatJson(text) : text;
  return (
    <DetailPanel title={KIND_NAMES[kind]} onClose={onClose}>
      <Facts
        facts={[
          ['Key', key && <KeyLink text={key} />],
          ['Plugin', plugin && <PluginLink state={state} id={plugin} />],
          ['Written by', writtenBy && <CallerName state={state} principal={writtenBy} />],
          ['Revision', revision],
          ['Size', sizeBytes === undefined ? undefined : `${sizeBytes.toLocaleString('en')} bytes`],
          ['Expires', expiresAtMs === undefined ? undefined : formatMoment(expiresAtMs)],
          ['Received', receivedMs === undefined ? undefined : formatMoment(receivedMs)],
        ]}
      />
      {text !== '' && <TextBox text={shown} label="Value" />}
      {isCut && <p class="quiet">The value is longer than what is shown here.</p>}
      {text !== '' && !isCut && (
        <p class="buttons">
          <CopyButton text={text} about="the text" />
        </p>
      )}
    </DetailPanel>
  );
}
