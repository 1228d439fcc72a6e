import type {CallParts} from '../service/call-service.ts';

/** One thing that the palette offers. */
export interface Command {
  /** Heading that it stands under. */
  readonly group: 'Pages' | 'Plugins' | 'Keys' | 'Pilots' | 'Faults';
  readonly name: string;
  /** Words beside the name, which are searched too. @default {none} */
  readonly about?: string | undefined;
  readonly action: CommandAction;
}

/** Effect of a command: it leads to an address, or changes something. */
export type CommandAction =
  | {readonly kind: 'go'; readonly href: string}
  | {readonly kind: 'change'; readonly path: string; readonly parts: CallParts}
  | {readonly kind: 'shortcuts'};

/** Maximum number of commands of a group that are shown: users type on rather than scroll. */
const SHOWN_MAX = 8;

/**
 * Returns the commands that have every word of a text in their name, their heading or what is said about them. Those whose name begins with the text come
 * first. Without a text, only pages and plugins.
 */
export function matchCommands(commands: readonly Command[], text: string): readonly Command[] {
  const typed = text.trim().toLowerCase();
  const words = typed.split(/\s+/);
  const rank = ({name}: Command): number => (name.toLowerCase().startsWith(typed) ? 0 : 1);
  const matches = ({group, name, about = ''}: Command): boolean => {
    if (typed === '') return group === 'Pages' || group === 'Plugins';
    const searched = `${group} ${name} ${about}`.toLowerCase();
    return words.every(word => searched.includes(word));
  };
  const found = commands.filter(matches).toSorted((one, other) => rank(one) - rank(other));
  return GROUPS.flatMap(group => found.filter(each => each.group === group).slice(0, typed === '' ? 50 : SHOWN_MAX));
}

const GROUPS: readonly Command['group'][] = ['Pages', 'Plugins', 'Keys', 'Pilots', 'Faults'];
