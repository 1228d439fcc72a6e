import './identity.css';
import {useSignal} from '@preact/signals';
import {useEffect, useMemo} from 'preact/hooks';
import {formatRoute} from '../route.ts';
import {ButtonChoice} from '../shell/button-choice.tsx';
import {CopyButton} from '../shell/copy-button.tsx';
import {EmptyState} from '../shell/empty-state.tsx';
import {FailureNote} from '../shell/failure-note.tsx';
import {Loading} from '../shell/loading.tsx';
import type {PageProps} from '../shell/page-props.ts';
import {setTo} from '../shell/set-to.ts';
import {hideSecrets} from './hide-secrets.ts';
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
      <Document text={identity.text.value.value} offersSamples={identity.pilots.value.value?.current !== undefined} />
      <PilotChoice identity={identity} />
      <SessionStates state={state} />
    </section>
  );
}

interface DocumentProps {
  readonly text: string | null | undefined;
  /** True if another sample pilot may be served. */
  readonly offersSamples: boolean;
}

/** Forms in which the document is shown. */
const FORMS = {tree: 'Tree', text: 'Text'} as const;

function Document({text, offersSamples}: DocumentProps) {
  const view = useSignal<keyof typeof FORMS>('tree');
  const showsSecrets = useSignal(false);
  if (text === undefined) return <Loading />;
  if (text === null)
    return (
      <div class="card">
        <EmptyState glyph="identity" title="No pilot is signed in: plugins get a failure.">
          <p>
            It is <code>no-identity</code>, with the status 404. Sign in on the{' '}
            <a href={formatRoute({view: 'home'})}>overview</a>
            {offersSamples && ', or serve a sample below'}.
          </p>
        </EmptyState>
      </div>
    );
  const hidden = hideSecrets(text);
  const shown = showsSecrets.value ? text : hidden;
  return (
    <section class="card" aria-labelledby="document-title">
      <div class="page-head apart">
        <h2 id="document-title">Document</h2>
        <ButtonChoice
          legend="Show the document as"
          names={FORMS}
          chosen={view.value}
          onChoose={chosen => (view.value = chosen)}
        />
      </div>
      <div class="buttons">
        {hidden !== text && (
          <button type="button" aria-pressed={showsSecrets.value} onClick={setTo(showsSecrets, !showsSecrets.value)}>
            Show secrets
          </button>
        )}
        <CopyButton text={shown} about="the document" />
      </div>
      {shown !== text && (
        <p class="quiet">Session, token and other secrets are hidden, in copies too. Plugins read them.</p>
      )}
      {view.value === 'tree' ? (
        <JsonTree value={JSON.parse(shown)} />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached with the keyboard.
        <pre class="json-text" tabIndex={0}>
          {shown}
        </pre>
      )}
    </section>
  );
}
