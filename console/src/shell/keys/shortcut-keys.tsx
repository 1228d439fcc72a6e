import {IS_MAC} from '../system.ts';
import {keyNames, type Shortcut} from './shortcuts.ts';

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
