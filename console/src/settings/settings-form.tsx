import {useEffect, useMemo, useRef} from 'preact/hooks';
import type {Setting, SettingValues} from '../service/documents.ts';
import {clickIf} from '../shell/click-if.ts';
import {EmptyState} from '../shell/empty-state.tsx';
import {FailureNote} from '../shell/failure-note.tsx';
import {Loading} from '../shell/loading.tsx';
import {TextBox} from '../shell/text-box.tsx';
import {CORE, type ConsoleState} from '../state/console-state.ts';
import {SettingField} from './setting-field.tsx';
import {applies, SettingsState} from './settings-state.ts';

interface SettingsFormProps {
  readonly state: ConsoleState;
  /** Id of a plugin, or `core`. */
  readonly id: string;
  /** Values of the settings that the airline makes. */
  readonly airlineValues?: SettingValues | undefined;
}

/** Settings of the client that are one choice in the menu. */
const THEME: ReadonlySet<string> = new Set(['darkMode', 'darkWithSystem']);

/** The form of the settings of a plugin or of the client, made from what they declare. */
export function SettingsForm({state, id, airlineValues = {}}: SettingsFormProps) {
  const settings = useMemo(() => new SettingsState(id, state.drafts), [state, id]);
  useEffect(() => {
    void settings.reload();
    return state.onSettings(id, () => void settings.values.reload());
  }, [state, settings, id]);
  const all = settings.available.value.value;
  const failure = settings.available.failure.value ?? settings.values.failure.value;
  const typed = settings.draft.value;
  if (failure !== undefined && all === undefined)
    return (
      <>
        <FailureNote failure={failure} />
        {typed !== undefined && <TextBox text={JSON.stringify(typed, null, 2)} label="What you have typed" />}
      </>
    );
  if (all === undefined || settings.values.value.value === undefined) return <Loading />;
  const own = all.filter(({settingType, key}) => settingType === 'user' && !(id === CORE && THEME.has(key)));
  const ofAirline = all.filter(({settingType}) => settingType === 'airline');
  if (all.length === 0) return <NoSettings />;
  return (
    <>
      {own.length > 0 && <OwnSettings state={state} settings={settings} own={own} />}
      {ofAirline.length > 0 && <AirlineSettings ofAirline={ofAirline} values={airlineValues} />}
    </>
  );
}

function NoSettings() {
  return (
    <div class="card">
      <EmptyState glyph="settings" title="There is nothing to set.">
        <p>
          A plugin declares its settings in <code>plugin.json</code>, as <code>availableSettings</code>:{' '}
          <a href="/docs/settings">how it does</a>. Then the form is here.
        </p>
      </EmptyState>
    </div>
  );
}

interface OwnSettingsProps {
  readonly state: ConsoleState;
  readonly settings: SettingsState;
  readonly own: readonly Setting[];
}

function OwnSettings({state, settings, own}: OwnSettingsProps) {
  const form = useRef<HTMLFormElement>(null);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    await settings.save();
    // After the problems are on the page.
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  const applying = own.filter(setting => applies(setting, settings.shown.value));
  const advanced = applying.filter(setting => setting.advanced);
  const showsAdvanced =
    state.core.value.value?.['showAdvancedSettings'] === true ||
    advanced.some(({key}) => key in settings.problems.value);
  return (
    <form class="card" ref={form} onSubmit={submit} noValidate>
      <Fields settings={settings} of={applying.filter(setting => !setting.advanced)} />
      {advanced.length > 0 && (
        <details open={showsAdvanced}>
          <summary>Advanced</summary>
          <Fields settings={settings} of={advanced} />
        </details>
      )}
      <FormFoot settings={settings} />
    </form>
  );
}

function Fields({settings, of}: {readonly settings: SettingsState; readonly of: readonly Setting[]}) {
  return of.map(setting => (
    <SettingField
      key={setting.key}
      setting={setting}
      value={settings.shown.value[setting.key]}
      problem={settings.problems.value[setting.key]}
      onChange={value => settings.change(setting.key, value)}
    />
  ));
}

function FormFoot({settings}: {readonly settings: SettingsState}) {
  const status = settings.status.value;
  const isChanged = settings.draft.value !== undefined;
  const isSaving = status.kind === 'saving';
  return (
    <div class="buttons">
      <button type="submit" class="primary" {...clickIf(isChanged && !isSaving)}>
        Save
      </button>
      <button type="button" {...clickIf(isChanged && !isSaving, () => settings.discard())}>
        Discard
      </button>
      <button type="button" {...clickIf(!isSaving, () => void settings.restoreDefaults())}>
        Restore defaults
      </button>
      <div role="status" class="form-status">
        {status.kind === 'saving' && <Loading text="Saving…" />}
        {status.kind === 'saved' && 'Saved'}
        {status.kind === 'none' && isChanged && <span class="quiet">Changed, not saved</span>}
        {status.kind === 'incomplete' && <span class="problem">Not saved: look at the marked settings</span>}
        {status.kind === 'failed' && <FailureNote failure={status.failure} />}
      </div>
    </div>
  );
}

interface AirlineSettingsProps {
  readonly ofAirline: readonly Setting[];
  readonly values: SettingValues;
}

function AirlineSettings({ofAirline, values}: AirlineSettingsProps) {
  return (
    <section class="card" aria-labelledby="airline-settings">
      <h2 id="airline-settings">Set by the airline</h2>
      {ofAirline.map(setting => (
        <SettingField
          key={setting.key}
          setting={setting}
          value={values[setting.key] ?? setting.default}
          problem={undefined}
        />
      ))}
    </section>
  );
}
