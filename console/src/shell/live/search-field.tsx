interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onType: (text: string) => void;
}

/** A field that chooses lines by a text. */
export function SearchField({label, value, onType}: SearchFieldProps) {
  return (
    <label>
      {label}
      <input
        type="search"
        spellcheck={false}
        value={value}
        onInput={({currentTarget}) => onType(currentTarget.value)}
      />
    </label>
  );
}
