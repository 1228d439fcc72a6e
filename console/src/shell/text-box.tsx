/** A text of the service, as it is. It scrolls, also with the keyboard. */
export function TextBox({text, label}: {readonly text: string; readonly label: string}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached with the keyboard.
    <section class="text-box" tabIndex={0} aria-label={label}>
      {text}
    </section>
  );
}
