import type {ComponentChildren} from 'preact';

interface FiguresProps {
  /** Names and values; those without a value are left out. */
  readonly rows: readonly (readonly [name: string, value: ComponentChildren | undefined])[];
}

/** A list of names and values, one per line. */
export function Figures({rows}: FiguresProps) {
  return (
    <dl class="figures">
      {rows.map(
        ([name, value]) =>
          value !== undefined && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <bdi>{value}</bdi>
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}
