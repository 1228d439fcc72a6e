import {callService} from '../service/call-service.ts';
import type {Theme} from '../state/appearance.ts';
import {CORE, type ConsoleState} from '../state/console-state.ts';
import {Glyph} from './glyph.tsx';

/** Chooses the theme of this page and of the pages of plugins. */
export function ThemeChoice({state}: {readonly state: ConsoleState}) {
  const change = async (select: HTMLSelectElement): Promise<void> => {
    const theme = select.value as Theme;
    const body = {darkMode: theme === 'dark', darkWithSystem: theme !== 'light'};
    // The event of the changed setting reloads it. If the service does not answer, the banner reports that.
    await callService(`/api/settings/${CORE}`, {method: 'PUT', body}).catch(() => {
      select.value = state.theme.peek();
      state.core.reload();
    });
  };
  return (
    <label class="menu-link">
      <Glyph name={state.darkMode.value ? 'moon' : 'sun'} /> <span class="name">Theme</span>
      <select value={state.theme.value} onChange={({currentTarget}) => void change(currentTarget)}>
        <option value="light dark">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}
