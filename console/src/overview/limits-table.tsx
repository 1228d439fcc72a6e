import {FailureNote} from '../shell/failure-note.tsx';
import {formatBytes, formatDuration, formatMs} from '../shell/format/format-figures.ts';
import type {Loaded} from '../state/loaded.ts';

/** Limits that authors of plugins meet, with their names in words. */
const NAMES: Readonly<Record<string, string>> = {
  keyBytesMax: 'Longest key',
  valueBytesMax: 'Largest value',
  valueDepthMax: 'Deepest nesting of a value',
  ttlSecondsMax: 'Longest time to live',
  listLimitMax: 'Entries on a page of a list',
  transactionOperationsMax: 'Operations of a transaction',
  transactionBytesMax: 'Largest transaction',
  subscribersMax: 'Subscribers at once',
  logChangesMax: 'Changes that can be replayed',
  connectionsMax: 'Connections at once',
  requestTimeoutMs: 'Time for the body of a request',
  pluginTimeoutMs: 'Time for a plugin to answer',
  pluginMemoryBytesMax: 'Memory of a plugin',
};

/** The limits in force, loaded when they are opened. `GET /api/limits` has all of them. */
export function LimitsTable({limits}: {readonly limits: Loaded<Readonly<Record<string, number>>>}) {
  const {value: known} = limits.value;
  const failure = limits.failure.value;
  return (
    <details onToggle={event => event.currentTarget.open && void limits.reload()}>
      <summary>Limits</summary>
      {failure !== undefined && <FailureNote failure={failure} />}
      <table class="limits">
        <tbody>
          {Object.entries(NAMES).map(([name, label]) => {
            const value = known?.[name];
            return (
              value !== undefined && (
                <tr key={name}>
                  <th scope="row">{label}</th>
                  <td>{formatLimit(name, value)}</td>
                </tr>
              )
            );
          })}
        </tbody>
      </table>
    </details>
  );
}

/** Formats a limit by the unit at the end of its name. */
function formatLimit(name: string, value: number): string {
  if (name.includes('Bytes')) return formatBytes(value);
  if (name.includes('Seconds')) return formatDuration(value);
  if (name.endsWith('Ms')) return formatMs(value);
  return value.toLocaleString('en');
}
