import {Marked, ORDERING} from './marked.tsx';

/** A flag of a command line, and the places after separators of paths, keys and host names. */
const PARTS = /(--[a-z][a-z-]*)|(?<=\w\/)|(?<=\w\.)(?=[a-z])/i;

/** A text with long words, such as paths and keys: its lines break after their separators, and not inside of flags. */
export function Breakable({text}: {readonly text: string}) {
  return (
    <>
      {text
        .split(PARTS)
        .filter(part => part !== undefined && part !== '')
        .map((part, index) =>
          part.startsWith('--') ? (
            <span key={index} class="flag">
              {part}
            </span>
          ) : (
            [index > 0 && <wbr key={index} />, ORDERING.test(part) ? <Marked key="text" text={part} /> : part]
          ),
        )}
    </>
  );
}
