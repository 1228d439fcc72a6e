import {useSignal} from '@preact/signals';
import type {CallFailure} from '../service/call-service.ts';
import type {PluginRoute} from '../service/documents.ts';
import {FailureNote} from '../shell/failure-note.tsx';
import {setTo, takeText} from '../shell/set-to.ts';
import {AnswerView} from '../shell/try/answer-view.tsx';
import {sendRequest, type TriedAnswer} from '../shell/try/send-request.ts';
import {toCallFailure} from '../state/loaded.ts';

interface RouteTrialProps {
  readonly plugin: string;
  readonly route: PluginRoute;
}

/** A route of a plugin, and a form to call it. */
export function RouteTrial({plugin, route}: RouteTrialProps) {
  const isOpen = useSignal(false);
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
      {isOpen.value && <TrialForm method={route.method === 'POST' ? 'POST' : 'GET'} address={address} />}
    </li>
  );
}

interface TrialFormProps {
  readonly method: 'GET' | 'POST';
  /** Path of the route. */
  readonly address: string;
}

function TrialForm({method, address}: TrialFormProps) {
  const query = useSignal('');
  const body = useSignal('{}');
  const answer = useSignal<TriedAnswer | undefined>(undefined);
  const failure = useSignal<CallFailure | undefined>(undefined);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    failure.value = undefined;
    const asked = query.value.replace(/^\?/, '');
    const withBody = method === 'POST' ? {body: body.value, contentType: 'application/json'} : {};
    try {
      answer.value = await sendRequest({method, address: asked === '' ? address : `${address}?${asked}`, ...withBody});
    } catch (error) {
      failure.value = toCallFailure(error);
    }
  };
  return (
    <form class="trial" onSubmit={send}>
      <label>
        Query
        <input type="text" spellcheck={false} placeholder="name=value" value={query.value} onInput={takeText(query)} />
      </label>
      {method === 'POST' && (
        <label>
          Body, as JSON
          <textarea rows={4} spellcheck={false} value={body.value} onInput={takeText(body)} />
        </label>
      )}
      <button type="submit" class="primary">
        Send
      </button>
      {failure.value !== undefined && <FailureNote failure={failure.value} />}
      {answer.value !== undefined && <AnswerView answer={answer.value} />}
    </form>
  );
}
