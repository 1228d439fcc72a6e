/** Characters that are not seen, and that change the order in which those around them are shown. */
export const ORDERING = /([\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])/;

/** Returns a text for a place without marks, such as the title of a window: in it such characters are their code points. */
export function withoutOrdering(text: string): string {
  return text
    .split(ORDERING)
    .map((part, index) => (index % 2 === 0 ? part : `[${codePointOf(part)}]`))
    .join('');
}

function codePointOf(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`;
}

/** A text of a plugin, apart from the words around it. Characters that would change its order are marked, and change nothing. */
export function Marked({text}: {readonly text: string}) {
  return (
    <bdi>
      {text.split(ORDERING).map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <bdi key={index} class="special" title={codePointOf(part)}>
            {part}
          </bdi>
        ),
      )}
    </bdi>
  );
}
