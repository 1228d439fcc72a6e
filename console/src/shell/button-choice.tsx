interface ButtonChoiceProps<T extends string> {
  /** Name of the choice, for people who do not see it. */
  readonly legend: string;
  /** Values, in their order, with the names of their buttons. */
  readonly names: Readonly<Record<T, string>>;
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
}

/** A choice of one of a few, each with a button. */
export function ButtonChoice<T extends string>({legend, names, chosen, onChoose}: ButtonChoiceProps<T>) {
  return (
    <fieldset class="view-choice">
      <legend class="hidden">{legend}</legend>
      {(Object.keys(names) as T[]).map(value => (
        <button key={value} type="button" aria-pressed={value === chosen} onClick={() => onChoose(value)}>
          {names[value]}
        </button>
      ))}
    </fieldset>
  );
}
