import {Dialog} from '../dialog.tsx';
import {ShortcutKeys} from './shortcut-keys.tsx';
import {SHORTCUTS, type Shortcut} from './shortcuts.ts';

/** The list of all shortcuts, by the places where they work. */
export function ShortcutList({onClose}: {readonly onClose: () => void}) {
  const all: readonly Shortcut[] = Object.values(SHORTCUTS);
  const places = [...new Set(all.map(({where}) => where))];
  return (
    <Dialog title="Shortcuts" onClose={onClose} isLight>
      {places.map(place => (
        <section key={place} class="shortcuts" aria-label={place}>
          <h3>{place}</h3>
          <dl class="facts">
            {all
              .filter(({where}) => where === place)
              .map(shortcut => (
                <div key={shortcut.does}>
                  <dt>
                    <ShortcutKeys shortcut={shortcut} />
                  </dt>
                  <dd>{shortcut.does}</dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
      <p class="quiet">The keys / and ? can be switched off in the settings.</p>
      <div class="buttons">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
