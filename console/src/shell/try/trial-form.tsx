import {useSignal} from '@preact/signals';
import type {ComponentChildren} from 'preact';
import type {CallFailure} from '../../service/call-service.ts';
import {toCallFailure} from '../../state/loaded.ts';
import {clickIf} from '../click-if.ts';
import {FailureNote} from '../failure-note.tsx';
import {Loading} from '../loading.tsx';
import {AnswerView} from './answer-view.tsx';
import {sendRequest, type TriedAnswer, type TriedRequest} from './send-request.ts';

interface TrialFormProps {
  readonly name: string;
  readonly button: string;
  readonly request: TriedRequest;
  /** Called after each change of a field. */
  readonly onInput: (event: Event) => void;
  /** Called when the request was answered. @default {nothing} */
  readonly onAnswer?: () => void;
  /** The fields. */
  readonly children: ComponentChildren;
}

/** A form that sends a request of the user, and shows the answer. One that only reads can be cancelled meanwhile. */
export function TrialForm({name, button, request, onInput, onAnswer, children}: TrialFormProps) {
  const result = useSignal<{readonly answer?: TriedAnswer; readonly failure?: CallFailure}>({});
  const waiting = useSignal<AbortController | undefined>(undefined);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    const own = new AbortController();
    waiting.value = own;
    result.value = {};
    const sent = await sendRequest(request, own).then(
      answer => ({answer}),
      error => ({failure: toCallFailure(error)}),
    );
    if (waiting.value !== own) return;
    waiting.value = undefined;
    result.value = sent;
    if ('answer' in sent) onAnswer?.();
  };
  const cancel = (): void => {
    waiting.value?.abort();
    waiting.value = undefined;
  };
  const {answer, failure} = result.value;
  return (
    <form class={name} onSubmit={send} onInput={onInput}>
      {children}
      <div class="buttons">
        <button type="submit" class="primary" data-home {...clickIf(waiting.value === undefined)}>
          {button}
        </button>
        {waiting.value !== undefined && request.method !== 'POST' && (
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        )}
      </div>
      <div role="status">{waiting.value !== undefined && <Loading text="Waiting for the answer…" />}</div>
      {failure !== undefined && <FailureNote failure={failure} />}
      {answer !== undefined && <AnswerView answer={answer} />}
    </form>
  );
}
