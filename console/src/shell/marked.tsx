/** Characters that are not seen, and that change the order in which those around them are shown. */
export const ORDERING = /([\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])/;

/** A text of a plugin, apart from the words around it. Characters that would change its order are marked, and change nothing. */
export function Marked({text}: {readonly text: string}) {
  return (
    <bdi>
      {text.split(ORDERING).map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <bdi
            key={index}
            class="special"
            title={`U+${part.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`}
          >
            {part}
          </bdi>
        ),
      )}
    </bdi>
  );
}
