import {pathToFileURL} from 'node:url';
import {inspect} from 'node:util';
import {KEPT_LENGTH_MAX} from '../../channel/message.ts';

// Plugins may replace these functions, to log elsewhere.
const writeError = process.stderr.write.bind(process.stderr);

/** Logs an error of the plugin. */
export function logProblem(action: string, error: unknown): void {
  writeError(`${action}: ${describeThrown(error)}\n`);
}

/** Describes anything thrown, with its stack if it has one. Members are left out: those of axios hold sessions. */
export function describeThrown(error: unknown): string {
  const stack = stackOf(error);
  return stack === '' ? messageOfThrown(error) : stack;
}

/** Returns the message of anything that was thrown, as much of it as a message to the service takes. */
export function messageOfThrown(error: unknown): string {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : inspect(error, {depth: 1});
  return message.slice(0, KEPT_LENGTH_MAX);
}

/** Returns the first place in the own code of a plugin in the stack of an error, such as `background/index.js:12`. */
export function placeOfThrown(error: unknown, directory: string): string | undefined {
  return placeIn(stackOf(error), directory);
}

/** Returns the first place in the own code of a plugin that a text names in lines as those of a stack. */
export function placeIn(text: string, directory: string): string | undefined {
  const url = pathToFileURL(directory).href;
  for (const line of text.split('\n', STACK_LINES_MAX)) {
    // Of a frame such as `at run (/plugins/com.example/background/index.js:12:5)`; of an ES module, the URL of the file.
    const inPath = restOfFrame(line, directory);
    const inUrl = restOfFrame(line, url);
    const place = inUrl === undefined ? inPath?.replaceAll('\\', '/') : decodePath(inUrl);
    if (place !== undefined && !place.includes('node_modules')) return place.slice(0, KEPT_LENGTH_MAX);
  }
  return undefined;
}

/** Returns what follows a directory in a line of a stack, without the column. */
function restOfFrame(line: string, directory: string): string | undefined {
  const start = line.indexOf(directory);
  return start === -1 ? undefined : /^[/\\](.+?:\d+)(?::\d+)?\)?$/.exec(line.slice(start + directory.length))?.[1];
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Plugins write stacks too.
    return text;
  }
}

/** Lines of a stack that are searched: Node keeps ten frames, and messages may have lines too. */
const STACK_LINES_MAX = 100;

function stackOf(error: unknown): string {
  const stack: unknown = error instanceof Error ? error.stack : '';
  return typeof stack === 'string' ? stack : '';
}
