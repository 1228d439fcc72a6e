import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {fileURLToPath} from 'node:url';

/** The built console: `dist/console/`, seen from the sources and from the built files alike. */
export const CONSOLE_FOLDER = fileURLToPath(new URL('../../../dist/console/', import.meta.url));

/** A page in one file, for addresses at which the service has no other file of its own. */
export interface PageTemplate {
  /** Policy that allows the script and the style in the page, and nothing else. */
  readonly policy: string;
  /** Returns the page with these texts, escaped, in place of their names in braces. */
  fill(texts: Readonly<Record<string, string>>): string;
}

/**
 * Creates a function that returns a page of the console's build, which is read when it is first needed.
 *
 * @param directives Further directives of its policy.
 */
export function createTemplate(name: string, directives: readonly string[] = []): () => PageTemplate {
  let read: PageTemplate | undefined;
  return () => {
    read ??= templateOf(readFileSync(CONSOLE_FOLDER + name, 'utf8'), directives);
    return read;
  };
}

function templateOf(page: string, directives: readonly string[]): PageTemplate {
  const sources = [...page.matchAll(/<(script|style)>(.*?)<\/\1>/gs)].map(
    ([, element, text = '']) => `${element}-src 'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  return {
    policy: ["default-src 'none'", ...sources.sort(), "base-uri 'none'", ...directives].join('; '),
    fill: texts =>
      page.replace(/\{(\w+)\}/g, (place, name) => (Object.hasOwn(texts, name) ? escapeHtml(texts[name] ?? '') : place)),
  };
}

/** Escapes a text for HTML. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`);
}
