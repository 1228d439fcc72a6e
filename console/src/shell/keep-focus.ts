/** Marks the element of a region that takes the focus when what had it there is gone: its list, its heading, its button. Of several the last does. */
const HOME = '[data-home]';

/**
 * Keeps the focus somewhere meant until the signal is aborted: when the element that has it is removed, hidden or disabled, the nearest region around
 * it takes it. Browsers give it to the page then, where the next key begins at the top.
 */
export function keepFocus(root: HTMLElement, signal: AbortSignal): void {
  /** The element that had the focus last, and those around it, innermost first. */
  let path: readonly Element[] = [];
  const remember = (event: FocusEvent): void => {
    path = event.composedPath().filter(each => each instanceof Element);
  };
  root.addEventListener('focusin', remember, {signal});
  const observer = new MutationObserver(() => {
    const isLost = document.activeElement === document.body || document.activeElement === path[0];
    if (path[0] === undefined || !isLost || canHaveFocus(path[0])) return;
    for (const region of path) {
      const homes = region.matches(HOME) ? [region as HTMLElement] : region.querySelectorAll<HTMLElement>(HOME);
      const home = [...homes].findLast(canHaveFocus);
      if (home === undefined) continue;
      // The editor is in a shadow tree.
      return (home.shadowRoot?.querySelector<HTMLElement>('.cm-content') ?? home).focus({preventScroll: true});
    }
  });
  observer.observe(root, {subtree: true, childList: true, attributeFilter: ['disabled', 'data-open']});
  signal.addEventListener('abort', () => observer.disconnect());
}

function canHaveFocus(element: Element): boolean {
  return element.checkVisibility({visibilityProperty: true}) && !element.matches(':disabled');
}
