/** How much of a text that comes from a handler is shown, in characters: a sentence or two. */
export const SHOWN_LENGTH_MAX = 200;

/** Everything that moves the cursor, turns text around or cannot be seen. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]+/gu;

/**
 * Makes a text of a handler fit to be shown and logged: one line, without control characters, without the secrets that
 * were sent, which some error pages repeat, and cut.
 */
export function cleanText(text: string, secrets: readonly string[]): string {
  // The beginning is enough, and cleaning a whole page would take long. Secrets are looked for before anything is cut.
  const line = hideSecrets(text.slice(0, 64 * SHOWN_LENGTH_MAX), secrets)
    .replace(INVISIBLE, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length > SHOWN_LENGTH_MAX ? `${characters.slice(0, SHOWN_LENGTH_MAX).join('')}…` : line;
}

/** Puts dots in place of secrets, in the forms in which a page may repeat them: as they are, in JSON, in an address, in HTML. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const forms = new Set(secrets.filter(secret => secret !== '').flatMap(formsOf));
  // The longest first: one form may hold another.
  return [...forms].sort((a, b) => b.length - a.length).reduce((hidden, form) => hidden.replaceAll(form, '…'), text);
}

function formsOf(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const address = encodeURIComponent(secret.toWellFormed());
  const html = secret
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
  return [secret, json, json.replaceAll('/', '\\/'), address, address.replaceAll('%20', '+'), html];
}

/** The first line of a text with something in it; the breaks that PHP puts before its warnings are nothing. */
export function firstLineOf(text: string): string {
  return /^(?:\s|<br \/>)*(\S[^\r\n]*)/.exec(text)?.[1] ?? '';
}
