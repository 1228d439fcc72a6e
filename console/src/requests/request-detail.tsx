import type {RecordedRequest} from 'crewroom/client/service';
import {KeyLink} from '../entries/key-link.tsx';
import {PluginLink} from '../plugins/plugin-links.tsx';
import {programAddress} from '../service/own-origin.ts';
import {Breakable} from '../shell/breakable.tsx';
import {Command} from '../shell/command.tsx';
import {CopyButton} from '../shell/copy-button.tsx';
import {Facts} from '../shell/facts.tsx';
import {formatMoment} from '../shell/format/format-clock.ts';
import {formatMs} from '../shell/format/format-figures.ts';
import {DetailPanel} from '../shell/live/detail-panel.tsx';
import {TextBox} from '../shell/text-box.tsx';
import type {ConsoleState} from '../state/console-state.ts';
import {AllowOrigin} from './allow-origin.tsx';
import {curlOf, keyOf, lackOf, mayRepeat} from './repeat-request.ts';
import {SendAgain} from './send-again.tsx';

interface RequestDetailProps {
  readonly request: RecordedRequest;
  readonly state: ConsoleState;
  readonly onClose: () => void;
}

/** The details of a request: the reason for a refusal, its headers, and the command that repeats it. */
export function RequestDetail({request, state, onClose}: RequestDetailProps) {
  const {method, path, status, requestedAtMs, durationMs, sizeBytes, origin, plugin, failure} = request;
  const key = keyOf(request);
  const command = curlOf(request, programAddress());
  return (
    <DetailPanel title={`${method} ${status}`} onClose={onClose}>
      <p>
        <code>
          <bdi>{path}</bdi>
        </code>
      </p>
      {failure !== undefined && (
        <div class={`note ${status >= 500 ? 'danger' : 'warning'}`}>
          <p>
            <strong>{failure.code}</strong>
          </p>
          <p>{failure.detail}</p>
          <p>
            <Breakable text={failure.advice} />
          </p>
        </div>
      )}
      {failure?.why === 'origin' && origin !== undefined && <AllowOrigin state={state} origin={origin} />}
      <Facts
        facts={[
          ['At', formatMoment(requestedAtMs)],
          ['Duration', formatMs(durationMs)],
          ['Body', sizeBytes === undefined ? 'a stream' : `${sizeBytes.toLocaleString('en')} bytes`],
          ['Plugin', plugin && <PluginLink state={state} id={plugin} />],
          ['Key', key && <KeyLink text={key} />],
          ['Origin', origin],
          ['Request id', failure?.instance],
        ]}
      />
      <Headers request={request} />
      <h3>As curl</h3>
      {command === undefined ? <Command text={command} /> : <TextBox text={command} label="Command" />}
      {command !== undefined && <p class="quiet">{lackOf(request)}</p>}
      <p class="buttons">{command !== undefined && <CopyButton text={command} name="Copy as curl" />}</p>
      {mayRepeat(request, location.origin) && <SendAgain request={request} drafts={state.drafts} />}
    </DetailPanel>
  );
}

function Headers({request: {headers}}: {readonly request: RecordedRequest}) {
  return (
    <>
      <h3>Headers</h3>
      <Facts facts={Object.entries(headers)} />
    </>
  );
}
