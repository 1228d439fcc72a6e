import {readAuthorPackage} from './author-package.ts';

export interface HintOptions {
  /** True if the page comes from a dev server already. */
  readonly hasPageServer: boolean;
}

/** Returns what the author of a plugin may want to change, by the `package.json` in its folder. Guesses no addresses. */
export async function findHints(directory: string, {hasPageServer}: HintOptions): Promise<readonly string[]> {
  const {scripts} = await readAuthorPackage(directory);
  const dev = scripts['dev'];
  if (hasPageServer || typeof dev !== 'string' || dev.includes('crewroom dev')) return [];
  return [
    'package.json has the script "dev": if it starts a dev server, "crewroom dev --ui http://localhost:5173 -- npm run dev" shows its page',
  ];
}
