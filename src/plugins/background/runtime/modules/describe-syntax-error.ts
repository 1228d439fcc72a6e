import {spawnSync} from 'node:child_process';
import {pathToFileURL} from 'node:url';

/** Longest search, in milliseconds; it takes some tens. */
const SEARCH_TIMEOUT_MS = 5000;

/** Ends the evaluation of the modules that are imported after it, which happens once all of them were parsed. */
const STOP = 'data:text/javascript,throw 0';

/**
 * Returns what Node prints about a syntax error in an ES module, or in one that it imports; it begins with the place, which the error
 * itself does not have. Evaluates nothing of the modules.
 */
export function describeSyntaxError(file: string): string {
  const program = `import ${JSON.stringify(STOP)}; import ${JSON.stringify(pathToFileURL(file).href)};`;
  const {stderr} = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    timeout: SEARCH_TIMEOUT_MS,
  });
  return stderr;
}
