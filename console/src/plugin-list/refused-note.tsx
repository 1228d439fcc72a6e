import {formatGrant} from 'crewroom/client/service';
import {useEffect, useMemo} from 'preact/hooks';
import {callService} from '../service/call-service.ts';
import type {RefusedRequest} from '../service/documents.ts';
import {Command} from '../shell/command.tsx';
import type {ConsoleState} from '../state/console-state.ts';
import {Loaded} from '../state/loaded.ts';

/** Time between two looks at what was refused, in milliseconds. */
const INTERVAL_MS = 5000;

/** Looks at what plugins were refused, while it is shown; only the owner may. */
export function useRefused(state: ConsoleState): readonly RefusedRequest[] {
  const refused = useMemo(
    () => new Loaded(() => callService<{readonly refused: readonly RefusedRequest[]}>('/api/access/refused')),
    [],
  );
  const isOwner = state.isOwner.value;
  useEffect(() => {
    if (!isOwner) return;
    void refused.reload();
    const timer = setInterval(() => document.hidden || refused.reload(), INTERVAL_MS);
    return () => clearInterval(timer);
  }, [refused, isOwner]);
  return refused.value.value?.refused ?? [];
}

/** Shows what one plugin was refused, and the command that gives it what it lacked. Nothing if nothing was. */
export function RefusedNote({id, refused}: {readonly id: string; readonly refused: readonly RefusedRequest[]}) {
  const own = refused.filter(({plugin}) => plugin === id);
  if (own.length === 0) return null;
  const {line, leftOut} = formatGrant(id, [...new Set(own.map(({permission}) => permission))]);
  return (
    <div class="note warning">
      <p>This plugin was refused:</p>
      <ul>
        {own.map(each => (
          <li key={`${each.method} ${each.path} ${each.permission}`}>
            <code>
              {each.method} <bdi>{each.path}</bdi>
            </code>
            {isIdentity(each) && ', the session of the pilot'}
            {each.count > 1 && ` (${each.count} times)`}
          </li>
        ))}
      </ul>
      {line !== undefined && <p>If you trust it with this, give it the permission:</p>}
      {line !== undefined && <Command text={line} />}
      {leftOut > 0 && <p>Permissions that are no plain words are not proposed.</p>}
    </div>
  );
}

/** Returns whether the answer was the identity without its secrets. */
function isIdentity({path, permission}: RefusedRequest): boolean {
  return path === '/api/identity' && permission === 'identity:secrets';
}
