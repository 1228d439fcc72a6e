import type {ComponentChildren} from 'preact';
import {useId} from 'preact/hooks';
import type {Setting} from '../service/documents.ts';

interface SettingFieldProps {
  readonly setting: Setting;
  readonly value: unknown;
  readonly problem: string | undefined;
  /** Called with the new value; absent if the user may not change it. */
  readonly onChange?: ((value: unknown) => void) | undefined;
}

/** A setting with its label, its description and its problem. */
export function SettingField(props: SettingFieldProps) {
  const {setting, problem} = props;
  const id = useId();
  const about = `${id}-about`;
  return (
    <div class="field" data-type={setting.type}>
      <label for={id}>
        {setting.name ?? setting.key}
        {setting.required && <span class="quiet"> (required)</span>}
      </label>
      <Control {...props} id={id} describedBy={about} />
      <div id={about} class="field-about">
        {setting.description !== undefined && <p class="quiet">{setting.description}</p>}
        {(setting.minLength ?? 0) > 1 && <p class="quiet">At least {setting.minLength} characters.</p>}
        {problem !== undefined && <p class="problem">This value {problem}.</p>}
      </div>
    </div>
  );
}

interface ControlProps extends SettingFieldProps {
  readonly id: string;
  readonly describedBy: string;
}

function Control({setting, value, problem, onChange, id, describedBy}: ControlProps): ComponentChildren {
  const common = {
    id,
    disabled: onChange === undefined,
    'aria-describedby': describedBy,
    'aria-invalid': problem !== undefined,
  };
  switch (setting.type) {
    case 'boolean':
      return (
        <input
          {...common}
          type="checkbox"
          checked={value === true}
          onChange={event => onChange?.(event.currentTarget.checked)}
        />
      );
    case 'list':
      return <Choice {...common} options={setting.options ?? []} value={value} onChange={onChange} />;
    case 'number':
      return (
        <input
          {...common}
          type="number"
          step="any"
          value={typeof value === 'number' ? value : ''}
          onInput={event => onChange?.(numberIn(event.currentTarget))}
        />
      );
    case 'string':
      return (
        <input
          {...common}
          type="text"
          autocomplete="off"
          value={typeof value === 'string' ? value : ''}
          onInput={event => onChange?.(event.currentTarget.value)}
        />
      );
  }
}

/** Returns the number in a field, and the empty text while there is none: the form reports that when it is saved. */
function numberIn({valueAsNumber}: HTMLInputElement): number | '' {
  return Number.isNaN(valueAsNumber) ? '' : valueAsNumber;
}

interface ChoiceProps {
  readonly options: NonNullable<Setting['options']>;
  readonly value: unknown;
  readonly onChange: ((value: unknown) => void) | undefined;
}

/** A list. Values are numbers or texts, and those of elements texts only, so an option is identified by its place. */
function Choice({options, value, onChange, ...common}: ChoiceProps) {
  const place = options.findIndex(option => String(option.value) === String(value));
  return (
    <select
      {...common}
      value={String(place)}
      onChange={event => onChange?.(options[Number(event.currentTarget.value)]?.value)}
    >
      {place === -1 && <option value="-1">Not set</option>}
      {options.map(({label, value: each}, index) => (
        <option key={each} value={String(index)}>
          {label}
        </option>
      ))}
    </select>
  );
}
