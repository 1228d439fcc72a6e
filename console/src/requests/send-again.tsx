import {useSignal} from '@preact/signals';
import type {RecordedRequest} from 'crewroom/client/service';
import type {CallFailure} from '../service/call-service.ts';
import {FailureNote} from '../shell/failure-note.tsx';
import {takeText} from '../shell/set-to.ts';
import {AnswerView} from '../shell/try/answer-view.tsx';
import {sendRequest, type TriedAnswer} from '../shell/try/send-request.ts';
import {toCallFailure} from '../state/loaded.ts';

/** Sends a request that only reads again, as the console: with the same address, and none of its headers. */
export function SendAgain({request}: {readonly request: RecordedRequest}) {
  const address = useSignal(request.path);
  const answer = useSignal<TriedAnswer | undefined>(undefined);
  const failure = useSignal<CallFailure | undefined>(undefined);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    failure.value = undefined;
    answer.value = undefined;
    try {
      const method = request.method === 'HEAD' ? 'HEAD' : 'GET';
      answer.value = await sendRequest({method, address: address.value});
    } catch (error) {
      failure.value = toCallFailure(error);
    }
  };
  return (
    <form class="send-again stack" onSubmit={send}>
      <label>
        Address
        <input
          type="text"
          spellcheck={false}
          pattern="/.*"
          title="An address of the service, which begins with /"
          value={address.value}
          onInput={takeText(address)}
        />
      </label>
      <button type="submit">Send again</button>
      {failure.value !== undefined && <FailureNote failure={failure.value} />}
      {answer.value !== undefined && <AnswerView answer={answer.value} />}
    </form>
  );
}
