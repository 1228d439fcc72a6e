import type {RecordedRequest} from 'crewroom/client/service';
import {TrialForm} from '../shell/try/trial-form.tsx';
import {type Drafts, type Fields, markSent, takeFields} from '../state/drafts.ts';

interface SendAgainProps {
  readonly request: RecordedRequest;
  readonly drafts: Drafts;
}

/** Sends a request that only reads again, as the console: with the same address, and none of its headers. */
export function SendAgain({request: {method, path}, drafts}: SendAgainProps) {
  const draft = drafts.at<Fields>({view: 'requests'}, path);
  const {address = path} = draft.value ?? {};
  const take = takeFields(draft, {address: path});
  return (
    <TrialForm
      name="send-again stack"
      button="Send again"
      request={{method: method === 'HEAD' ? 'HEAD' : 'GET', address}}
      onInput={event => {
        take(event);
        // Nothing leads back to the line, which may be gone.
        markSent(draft, draft.value);
      }}
    >
      <label>
        Address
        <input
          type="text"
          name="address"
          spellcheck={false}
          pattern="/.*"
          title="An address of the service, which begins with /"
          value={address}
        />
      </label>
    </TrialForm>
  );
}
