/** A message that PHP printed into an answer. */
export interface PhpMessage {
  /** The severity, such as `Warning`. */
  readonly kind: string;
  readonly message: string;
  /** The path of the file on the server. */
  readonly file: string;
  readonly line: string;
}

/** Maximum length of a text that is searched, in UTF-16 units: PHP prints its first message before anything else. */
const HEAD_LENGTH = 16 * 1024;

/** Beginning of a message: HTML around its severity or, with `html_errors` off, the beginning of a line. */
const BEGINNING = /(?:<b>|^)((?:Recoverable )?[Ff]atal error|Parse error|Warning|Deprecated|Notice)(?:<\/b>)?: /m;

/** End of a message. */
const END = / on line (?:<b>)?([0-9]{1,9})\b/;

/** Returns the first message of PHP at the beginning of a text, in linear time. */
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

/** Removes the file and the line from the message of an uncaught exception, which repeats them. */
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
