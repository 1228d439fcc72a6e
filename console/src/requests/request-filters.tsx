import {SearchField} from '../shell/live/search-field.tsx';
import {type RequestFilter, STATUS_NAMES} from './request-filter.ts';
import type {RequestsState} from './requests-state.ts';

/** Chooses requests by path, status and sender, and shows the key that an address chose. */
export function RequestFilters({requests}: {readonly requests: RequestsState}) {
  const {path, key, status, sender, withOwn} = requests.filter.value;
  return (
    <>
      <SearchField label="Path" value={path} onType={text => requests.choose({path: text})} />
      {key !== '' && <SearchField label="Key" value={key} onType={text => requests.choose({key: text})} />}
      <label>
        Status
        <select
          value={status}
          onChange={({currentTarget}) => requests.choose({status: currentTarget.value as RequestFilter['status']})}
        >
          {Object.entries(STATUS_NAMES).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        From
        <select value={sender} onChange={({currentTarget}) => requests.choose({sender: currentTarget.value})}>
          <option value="all">All</option>
          {requests.senders.value.map(each => (
            <option key={each} value={each}>
              {nameOf(each)}
            </option>
          ))}
        </select>
      </label>
      <label>
        <input
          type="checkbox"
          checked={withOwn}
          onChange={({currentTarget}) => requests.choose({withOwn: currentTarget.checked})}
        />
        Those of the console, and files of pages
      </label>
    </>
  );
}

/** Name of a sender for people. */
function nameOf(sender: string): string {
  if (sender === 'program') return 'Local programs';
  if (sender === `origin ${location.origin}`) return 'The console';
  return sender.slice(sender.indexOf(' ') + 1);
}
