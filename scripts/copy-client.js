// Makes the package of the client of the built service: the same files, without those that the client does not use.
import {cpSync, mkdirSync, readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';

/** Imports and exports from other files, in code and in declarations. */
const IMPORTS = /(?:\bfrom |\bimport\(|^import )'(\.[^']+)'/gm;

/**
 * Copies the files of a built service that some entry points need: code, and declarations for the compiler.
 *
 * @param {string} dist Folder of the built service.
 * @param {readonly string[]} entries Entry points, as paths in it without extension.
 * @param {string} target Folder of the package.
 */
export function copyReachable(dist, entries, target) {
  const waiting = entries.flatMap(entry => [`${entry}.js`, `${entry}.d.ts`]);
  const seen = new Set(waiting);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const text = readFileSync(join(dist, path), 'utf8');
    mkdirSync(dirname(join(target, path)), {recursive: true});
    cpSync(join(dist, path), join(target, path));
    for (const [, specifier = ''] of text.matchAll(IMPORTS)) {
      const found = join(dirname(path), path.endsWith('.d.ts') ? specifier.replace(/\.[jt]s$/, '.d.ts') : specifier);
      if (!seen.has(found)) waiting.push(found);
      seen.add(found);
    }
  }
}
