/** What PHP printed into an answer. */
export interface PhpMessage {
  /** Such as `Warning`. */
  readonly kind: string;
  readonly message: string;
  /** The path of the file on the server. */
  readonly file: string;
  readonly line: string;
}

/** How much of a text is looked at, in characters: PHP prints its first message before anything else, and one is short. */
const HEAD_LENGTH = 16 * 1024;

/** How a message begins: with HTML around its kind or, with `html_errors` off, at the beginning of a line. */
const BEGINNING = /(?:<b>|^)((?:Recoverable )?[Ff]atal error|Parse error|Warning|Deprecated|Notice)(?:<\/b>)?: /m;

/** How it ends. */
const END = / on line (?:<b>)?([0-9]{1,9})\b/;

/** Returns the first message of PHP at the beginning of a text. Takes time linear in what it looks at. */
export function findPhpMessage(text: string): PhpMessage | undefined {
  const head = text.slice(0, HEAD_LENGTH);
  const begin = BEGINNING.exec(head);
  if (begin === null) return undefined;
  const rest = head.slice(begin.index + begin[0].length);
  const end = END.exec(rest);
  if (end === null) return undefined;
  const said = rest.slice(0, end.index);
  const place = said.lastIndexOf(' in ');
  if (place === -1) return undefined;
  const [first = ''] = said.slice(0, place).trim().split('\n');
  return {
    kind: begin[1] ?? '',
    message: unescapeHtml(withoutPlace(first.trim())),
    file: unescapeHtml(
      said
        .slice(place + ' in '.length)
        .replaceAll('<b>', '')
        .replaceAll('</b>', '')
        .trim(),
    ),
    line: end[1] ?? '',
  };
}

/** An exception that is not caught names the place where it was thrown, too, which is the same or the one that the stack trace leads to. */
function withoutPlace(message: string): string {
  const place = message.startsWith('Uncaught ') ? message.lastIndexOf(' in ') : -1;
  return place === -1 ? message : message.slice(0, place);
}

function unescapeHtml(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#039;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
