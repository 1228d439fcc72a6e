import type {Plugin} from '../service/documents.ts';

/** The icon of a plugin: the one for this theme, or the one that it has, or the first letter of its name. */
export function PluginIcon({plugin, darkMode}: {readonly plugin: Plugin; readonly darkMode: boolean}) {
  const {id, name, icons = [], page} = plugin;
  const wanted = darkMode ? 'dark' : 'light';
  const theme = icons.includes(wanted) ? wanted : icons[0];
  if (theme !== undefined)
    // A new address for each state of a page in development, since browsers keep images of one address.
    return (
      <img
        class="icon"
        src={`/plugins/${encodeURIComponent(id)}/menu_icon_${theme}.png${page === undefined ? '' : `?${page}`}`}
        alt=""
      />
    );
  return (
    <span class="letter" aria-hidden="true">
      {[...name][0]?.toUpperCase()}
    </span>
  );
}
