import {useSignal, useSignalEffect} from '@preact/signals';
import {useRef} from 'preact/hooks';
import {FRAME_NAME} from '../notices/frame-messages.ts';
import type {Plugin} from '../service/documents.ts';
import {pageQuery} from '../state/appearance.ts';
import type {ConsoleState} from '../state/console-state.ts';

/**
 * Everything that published pages use, and no navigation of the console itself. Not a wall: pages of plugins are of the same origin, and
 * break without `allow-same-origin`. Their code runs as the user already.
 */
const SANDBOX =
  'allow-scripts allow-same-origin allow-forms allow-modals allow-downloads allow-popups allow-popups-to-escape-sandbox';

interface PluginFrameProps {
  readonly plugin: Plugin;
  readonly state: ConsoleState;
}

/**
 * The page of a plugin. A new frame for each state of its files, for each pilot, and for each appearance, which it reads from its address. Also
 * if the service comes back, and the page could not be loaded without it.
 */
export function PluginFrame({plugin, state}: PluginFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const attempt = useSignal(1);
  useSignalEffect(() => {
    // The document of the browser's own error page cannot be read.
    if (state.connection.status.value === 'connected' && frame.current?.contentDocument === null)
      attempt.value = attempt.peek() + 1;
  });
  // Before the settings are known, the page would be loaded twice.
  if (!state.core.isKnown || !state.identity.isKnown) return null;
  const address = `/plugins/${encodeURIComponent(plugin.id)}/${pageQuery(state.darkMode.value, state.colors.value)}`;
  const pilot = state.identity.value.value?.va_user.dbID;
  return (
    <iframe
      key={`${address} ${plugin.page} ${pilot} ${attempt.value}`}
      ref={frame}
      class="plugin-frame"
      src={address}
      {...{[FRAME_NAME]: plugin.name}}
      title={`Page of ${plugin.name}`}
      sandbox={SANDBOX}
      allow="fullscreen; clipboard-write; autoplay"
    />
  );
}
