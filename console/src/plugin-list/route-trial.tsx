import {type Signal, useSignal} from '@preact/signals';
import type {PluginRoute} from '../service/documents.ts';
import {setTo} from '../shell/set-to.ts';
import {TrialForm} from '../shell/try/trial-form.tsx';
import {type Drafts, type Fields, markSent, takeFields} from '../state/drafts.ts';

interface RouteTrialProps {
  readonly plugin: string;
  readonly route: PluginRoute;
  readonly drafts: Drafts;
}

/** Texts that the form shows at first. */
const INITIAL = {query: '', body: '{}'};

/** Returns what is typed in the form of a route. */
export function trialDraft({plugin, route, drafts}: RouteTrialProps): Signal<Fields | undefined> {
  return drafts.at({view: 'plugins'}, `${plugin} ${route.method} ${route.name}`);
}

/** A route of a plugin, and a form to call it. */
export function RouteTrial(props: RouteTrialProps) {
  const {plugin, route} = props;
  const draft = trialDraft(props);
  const isOpen = useSignal(draft.peek() !== undefined);
  const address = `/api/${encodeURIComponent(plugin)}/${encodeURIComponent(route.name)}`;
  return (
    <li class="route">
      <div class="route-head apart">
        <code>
          {route.method} <bdi>{address}</bdi>
        </code>
        <button type="button" aria-expanded={isOpen.value} onClick={setTo(isOpen, !isOpen.value)}>
          Try
          <span class="hidden">
            {' '}
            {route.method} {route.name}
          </span>
        </button>
      </div>
      {route.description !== '' && <p class="quiet">{route.description}</p>}
      {isOpen.value && <Trial method={route.method === 'POST' ? 'POST' : 'GET'} address={address} draft={draft} />}
    </li>
  );
}

interface TrialProps {
  readonly method: 'GET' | 'POST';
  /** Path of the route. */
  readonly address: string;
  readonly draft: Signal<Fields | undefined>;
}

function Trial({method, address, draft}: TrialProps) {
  const typed = draft.value;
  const {query, body} = {...INITIAL, ...typed};
  const asked = query === '' ? address : `${address}?${query.replace(/^\?/, '')}`;
  return (
    <TrialForm
      name="trial"
      button="Send"
      request={{method, address: asked, body: method === 'POST' ? body : undefined}}
      onInput={takeFields(draft, INITIAL)}
      onAnswer={() => markSent(draft, typed)}
    >
      <label>
        Query
        <input type="text" name="query" spellcheck={false} placeholder="name=value" value={query} />
      </label>
      {method === 'POST' && (
        <label>
          Body, as JSON
          <textarea name="body" rows={4} spellcheck={false} value={body} />
        </label>
      )}
    </TrialForm>
  );
}
