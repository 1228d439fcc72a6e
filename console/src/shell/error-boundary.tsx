import type {ComponentChildren} from 'preact';
import {useEffect, useErrorBoundary} from 'preact/hooks';
import {toCallFailure} from '../state/loaded.ts';

interface ErrorBoundaryProps {
  readonly children: ComponentChildren;
  /** When this changes, the children are rendered again. @default {never} */
  readonly view?: unknown;
}

/** Shows its children, or a page about the failure if one of them throws when it is rendered. The rest of the console works on. */
export function ErrorBoundary({children, view}: ErrorBoundaryProps) {
  // The console of the browser has the stack, for a report.
  const [error, reset] = useErrorBoundary(thrown => console.error(thrown));
  // Another view may work.
  useEffect(() => reset(), [view]);
  if (error === undefined) return <>{children}</>;
  return (
    <section class="page" aria-labelledby="error-title">
      <h1 id="error-title">This page has failed</h1>
      <p>
        The service answered something that the console does not understand, or the console has a defect. Your data is
        not affected.
      </p>
      <p class="note danger">{toCallFailure(error).message}</p>
      <div class="buttons">
        <button type="button" class="primary" onClick={reset}>
          Try again
        </button>
        <button type="button" onClick={() => location.assign('/')}>
          Load the console again
        </button>
      </div>
    </section>
  );
}
