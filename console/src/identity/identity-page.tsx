import './identity.css';
import {useSignal} from '@preact/signals';
import {useEffect, useMemo} from 'preact/hooks';
import {FailureNote} from '../shell/failure-note.tsx';
import type {PageProps} from '../shell/service-page.tsx';
import {IdentityState} from './identity-state.ts';
import {JsonTree} from './json-tree.tsx';
import {PilotChoice} from './pilot-choice.tsx';
import {SessionStates} from './session-states.tsx';

/** The page "Identity": the document that plugins read, and the pilots to switch among. */
export function IdentityPage({state}: PageProps) {
  const identity = useMemo(() => new IdentityState(), []);
  useEffect(() => identity.follow(state), [state, identity]);
  const failure = identity.text.failure.value;
  const isConnected = state.connection.status.value === 'connected';
  return (
    <section class="page" aria-labelledby="page-title">
      <h1 id="page-title">Identity</h1>
      <p class="quiet">
        What plugins read at <code>/api/identity</code>.
      </p>
      {isConnected && failure !== undefined && <FailureNote failure={failure} />}
      <Document text={identity.text.value.value} />
      <PilotChoice identity={identity} />
      <SessionStates state={state} />
    </section>
  );
}

function Document({text}: {readonly text: string | null | undefined}) {
  const view = useSignal<'tree' | 'text'>('tree');
  if (text === undefined) return <p class="quiet">Loading…</p>;
  if (text === null)
    return (
      <p class="note warning">
        No pilot is signed in: plugins get the failure <code>no-identity</code> with the status 404.
      </p>
    );
  const choose = (chosen: 'tree' | 'text') => () => {
    view.value = chosen;
  };
  return (
    <section class="card" aria-labelledby="document-title">
      <div class="page-head">
        <h2 id="document-title">Document</h2>
        <fieldset class="view-choice">
          <legend class="hidden">Show the document as</legend>
          <button type="button" aria-pressed={view.value === 'tree'} onClick={choose('tree')}>
            Tree
          </button>
          <button type="button" aria-pressed={view.value === 'text'} onClick={choose('text')}>
            Text
          </button>
        </fieldset>
      </div>
      {view.value === 'tree' ? (
        <JsonTree value={JSON.parse(text)} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached with the keyboard.
        <pre class="json-text" tabIndex={0}>
          {text}
        </pre>
      )}
    </section>
  );
}
