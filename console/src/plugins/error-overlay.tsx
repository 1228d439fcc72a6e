import './error-overlay.css';
import {useSignal} from '@preact/signals';
import {useId} from 'preact/hooks';
import {formatRoute} from '../route.ts';
import type {Plugin} from '../service/documents.ts';
import {SHORTCUTS} from '../shell/keys/shortcuts.ts';
import {useShortcut} from '../shell/keys/use-shortcut.ts';
import {setTo} from '../shell/set-to.ts';

/**
 * The error of a plugin in development, over its page, until the user hides it or the plugin is fixed. It comes again with another error, and after
 * another start.
 */
export function ErrorOverlay({plugin}: {readonly plugin: Plugin}) {
  const {id, error, inDevelopment, startedAt} = plugin;
  const hidden = useSignal('');
  const title = useId();
  const key = JSON.stringify([id, error, startedAt]);
  const isShown = inDevelopment && error !== undefined && hidden.value !== key;
  const hide = setTo(hidden, key);
  useShortcut(SHORTCUTS.leave, hide, isShown);
  if (!isShown) return null;
  const {during, message, place, request} = error;
  return (
    <section class="error-overlay" role="alert" aria-labelledby={title}>
      <h2 id={title}>{TITLES[during] ?? `${during} failed`}</h2>
      <pre>
        <bdi>{message}</bdi>
      </pre>
      {place !== undefined && (
        <p>
          In <code>{place}</code>
        </p>
      )}
      {request !== undefined && (
        <p>
          Failed request: <code>{request}</code>
        </p>
      )}
      <p class="buttons">
        <a href={formatRoute({view: 'plugin', id, tab: 'log'})}>Show the log</a>
        <button type="button" onClick={hide}>
          Hide
        </button>
      </p>
      <p class="quiet">It goes once you save a change that fixes it.</p>
    </section>
  );
}

const TITLES: Readonly<Record<string, string>> = {
  build: 'The build of the background failed',
  load: 'The background did not load',
  page: 'The page failed',
};
