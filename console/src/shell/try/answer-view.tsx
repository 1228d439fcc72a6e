import './answer-view.css';
import {TextBox} from '../text-box.tsx';
import type {TriedAnswer} from './send-request.ts';

/** The answer to a request of the user: its status, its headers, and its body as text. */
export function AnswerView({answer: {status, headers, body, isCut, durationMs}}: {readonly answer: TriedAnswer}) {
  return (
    <div class="answer" role="status">
      <p>
        <strong class="answer-status" data-class={String(status)[0]}>
          {status}
        </strong>{' '}
        <span class="quiet">{durationMs.toFixed(0)} ms</span>
      </p>
      <details>
        <summary>Headers</summary>
        <ul class="answer-headers">
          {headers.map(([name, value]) => (
            <li key={name}>
              <code>
                <span class="quiet">{name}:</span> <bdi>{value}</bdi>
              </code>
            </li>
          ))}
        </ul>
      </details>
      {body === '' ? <p class="quiet">No body.</p> : <TextBox text={body} label="Body of the answer" />}
      {isCut && <p class="quiet">The answer is longer than what is shown here.</p>}
    </div>
  );
}
