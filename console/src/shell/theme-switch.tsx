import {callService} from '../service/call-service.ts';
import {CORE, type ConsoleState} from '../state/console-state.ts';
import {Glyph} from './glyph.tsx';

/** Switches between dark and light, for this page and for the pages of plugins. */
export function ThemeSwitch({state}: {readonly state: ConsoleState}) {
  const isDark = state.darkMode.value;
  const change = async (): Promise<void> => {
    const path = `/api/settings/${CORE}`;
    // Light on a light system is no choice: it follows the system again.
    const body = isDark ? {darkMode: false, darkWithSystem: !state.isSystemDark.value} : {darkMode: true};
    // The event of the changed setting reloads it. If the service does not answer, the banner reports that.
    await callService(path, {method: 'PUT', body}).catch(() => state.core.reload());
  };
  return (
    <button type="button" class="menu-link" onClick={change}>
      <Glyph name={isDark ? 'sun' : 'moon'} /> <span class="name">{isDark ? 'Light mode' : 'Dark mode'}</span>
    </button>
  );
}
