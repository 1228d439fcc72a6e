/** Properties of a button whose action may be impossible now. */
interface ClickProps {
  readonly 'aria-disabled': boolean;
  readonly onClick: (event: Event) => void;
}

/**
 * Returns the properties of a button that does nothing while its action is impossible, and keeps the focus then: one with `disabled` would lose it to
 * the page. Holds also for the button that submits a form, by the key Enter too.
 *
 * @param run Runs on a click. @default {nothing: the form does it}
 */
export function clickIf(isPossible: boolean, run?: () => void): ClickProps {
  return {
    'aria-disabled': !isPossible,
    onClick: event => (isPossible ? run?.() : event.preventDefault()),
  };
}
