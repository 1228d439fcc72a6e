import {formatRoute} from '../route.ts';
import {Marked} from '../shell/marked.tsx';

interface KeyLinkProps {
  readonly text: string;
  /** Place in the order of Tab; -1 in lists, where the arrow keys move. @default {0} */
  readonly tabIndex?: number;
}

/** A key, with a link to its entry. */
export function KeyLink({text, tabIndex = 0}: KeyLinkProps) {
  return (
    <a href={formatRoute({view: 'entries', key: text})} tabIndex={tabIndex}>
      <Marked text={text} />
    </a>
  );
}
