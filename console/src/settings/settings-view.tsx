import {CORE, type ConsoleState} from '../state/console-state.ts';
import {SettingsForm} from './settings-form.tsx';

/** The settings of the client itself. */
export function SettingsView({state}: {readonly state: ConsoleState}) {
  return (
    <section class="page" aria-labelledby="settings-title">
      <h1 id="settings-title">Settings</h1>
      <p class="quiet">Plugins read these settings too: units, and whether sounds play. The theme is in the menu.</p>
      <SettingsForm state={state} id={CORE} />
    </section>
  );
}
