import type {CallFailure} from '../service/call-service.ts';
import {Breakable} from './breakable.tsx';

/** A failure, and what to do about it. */
export function FailureNote({failure}: {readonly failure: CallFailure}) {
  return (
    <div class="note danger">
      <p>{failure.message}</p>
      {failure.advice !== undefined && (
        <p class="quiet">
          <Breakable text={failure.advice} />
        </p>
      )}
    </div>
  );
}
