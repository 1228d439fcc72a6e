import {useSignal, useSignalEffect} from '@preact/signals';
import {useRef} from 'preact/hooks';
import {FRAME_ID, FRAME_NAME} from '../notices/frame-messages.ts';
import type {Plugin} from '../service/documents.ts';
import {pageOrigin} from '../service/own-origin.ts';
import {pageQuery} from '../state/appearance.ts';
import type {ConsoleState} from '../state/console-state.ts';

/**
 * Everything that published pages use, and no navigation of the console itself. Pages of plugins break without `allow-same-origin`; what
 * keeps them apart is that each has an origin of its own.
 */
const SANDBOX =
  'allow-scripts allow-same-origin allow-forms allow-modals allow-downloads allow-popups allow-popups-to-escape-sandbox';

/**
 * The page of a plugin. A new frame for each state of its files, for each pilot, for each appearance, which it reads from its address, and in
 * development once a new background runs. Also if the service comes back, and the page could not be loaded without it.
 */
export function PluginFrame({plugin, state}: {readonly plugin: Plugin; readonly state: ConsoleState}) {
  const {status} = state.connection;
  const attempt = useSignal(1);
  /** True if the frame was created while nothing answered: a document of another origin does not show if it loaded. */
  const isMissing = useRef(false);
  useSignalEffect(() => {
    if (status.value === 'connected' && isMissing.current) attempt.value = attempt.peek() + 1;
  });
  /** The files of the background that runs, or ran last; a page that was loaded before could not call it. */
  const stamp = useRef<string | undefined>(undefined);
  if (plugin.inDevelopment && plugin.state === 'running') stamp.current = plugin.stamp;
  // Before the settings are known, the page would be loaded twice.
  if (!state.core.isKnown || !state.identity.isKnown) return null;
  const path = `/plugins/${encodeURIComponent(plugin.id)}/${pageQuery(state.darkMode.value, state.colors.value)}`;
  const address = pageOrigin(plugin) + path;
  const pilot = state.identity.value.value?.va_user.dbID;
  return (
    <iframe
      key={`${address} ${plugin.page} ${stamp.current} ${pilot} ${attempt.value}`}
      ref={frame => {
        if (frame !== null) isMissing.current = status.peek() !== 'connected';
      }}
      class="plugin-frame"
      src={address}
      referrerpolicy="origin"
      {...{[FRAME_NAME]: plugin.name, [FRAME_ID]: plugin.id}}
      title={`Page of ${plugin.name}`}
      sandbox={SANDBOX}
      allow="fullscreen; clipboard-write; autoplay"
    />
  );
}
