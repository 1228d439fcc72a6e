import {formatRoute} from '../route.ts';
import {Marked} from '../shell/marked.tsx';
import type {ConsoleState} from '../state/console-state.ts';

interface PluginLinkProps {
  readonly state: ConsoleState;
  readonly id: string;
  /** Place in the order of Tab; -1 in lists, where the arrow keys move. @default {0} */
  readonly tabIndex?: number;
}

/** A link to the log of a plugin, which has the ways to the rest of it: its page would act by itself when it opens. */
export function PluginLink({state, id, tabIndex = 0}: PluginLinkProps) {
  return (
    <a href={formatRoute({view: 'plugin', id, tab: 'log'})} title={id} tabIndex={tabIndex}>
      <Marked text={state.plugin(id)?.name ?? id} />
    </a>
  );
}

interface CallerNameProps {
  readonly state: ConsoleState;
  /** `owner`, `token:NAME` or `plugin:ID`; a newer service may have more. */
  readonly principal: string;
}

/** The caller of a write: of a plugin a link to it. */
export function CallerName({state, principal}: CallerNameProps) {
  const [, kind, name = ''] = /^(plugin|token):(.*)$/s.exec(principal) ?? [];
  if (kind === 'plugin') return <PluginLink state={state} id={name} />;
  if (principal === 'owner') return <>the owner</>;
  return <bdi>{kind === 'token' ? `the token ${name}` : principal}</bdi>;
}

/** Returns the prefix of the entries that are a plugin's own. */
export function ownPrefix(id: string): string {
  return `${id}/`;
}

/** Finds the plugin whose own entries include a key. @returns Its id. */
export function findPluginOf(state: ConsoleState, key: string): string | undefined {
  return state.plugins.value.value?.plugins.find(({id}) => key.startsWith(ownPrefix(id)))?.id;
}
