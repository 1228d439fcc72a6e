import {keyNames, type Shortcut} from './shortcuts.ts';

/** True if the modifier of shortcuts is Cmd here. */
const IS_MAC = /mac|iphone|ipad/i.test(navigator.userAgent);

/** The keys of a shortcut: pressed together if the first is a modifier, otherwise each for itself. */
export function ShortcutKeys({shortcut}: {readonly shortcut: Shortcut}) {
  return (
    <span class="keys">
      {keyNames(shortcut, IS_MAC).map(name => (
        <kbd key={name}>{name}</kbd>
      ))}
    </span>
  );
}
