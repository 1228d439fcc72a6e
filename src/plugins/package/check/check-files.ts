import {tokenizer, tokTypes} from 'acorn';
import {formatBytes, joinChunks} from '../../../core/domain/byte-size.ts';
import {formatGrant} from '../../../core/failures/copied-line.ts';
import {checkPage, checkStyles} from './check-page.ts';
import {copyPart, type PluginFinding, type TextFile} from './finding.ts';
import {textOf} from './scan-module-names.ts';

/** A file of a plugin that can be read. */
export interface CheckedFile {
  /** In the folder of the plugin, with slashes. */
  readonly path: string;
  readonly sizeBytes: number;
  read(): AsyncIterable<Uint8Array>;
}

/** Largest file whose text is checked, in bytes. Bundles of published plugins have up to 3 MiB. */
const FILE_BYTES_MAX = 8 * 1024 * 1024;

/** Maximum number of files whose text is checked. */
const FILES_MAX = 1000;

/** Size from which a plugin is large, in bytes: several times that of published ones. */
const LARGE_BYTES = 20 * 1024 * 1024;

/** Maximum number of findings of one kind; the rest would not be read. */
const FINDINGS_MAX = 50;

/** Files whose texts are checked, by what they are. */
const KINDS = {
  page: /^ui\/.*\.html?$/,
  styles: /^ui\/.*\.css$/,
  program: /^ui\/.*\.m?js$/,
};

/**
 * Checks the texts and the sizes of the files of a package. Has the text of one file in memory at a time.
 *
 * @param id Undefined if the manifest is wrong.
 */
export async function checkFiles(
  files: readonly CheckedFile[],
  id: string | undefined,
): Promise<readonly PluginFinding[]> {
  const paths = new Set(files.map(({path}) => path));
  return [
    ...(await collect(readTexts(files, KINDS.page), page => checkPage(page, {id, files: paths}))),
    ...(await collect(readTexts(files, KINDS.styles), checkStyles)),
    ...(await collect(readTexts(files, KINDS.program), program => checkProgram(program, id))),
    ...checkSize(files),
  ];
}

/** Collects the first findings of a check of texts. Reads no further once there are enough. */
async function collect(
  texts: AsyncIterable<TextFile>,
  check: (file: TextFile) => Iterable<PluginFinding>,
): Promise<readonly PluginFinding[]> {
  const findings: PluginFinding[] = [];
  for await (const file of texts)
    for (const found of check(file)) {
      findings.push({...found, problem: copyPart(found.problem)});
      if (findings.length === FINDINGS_MAX) return findings;
    }
  return findings;
}

async function* readTexts(files: readonly CheckedFile[], pattern: RegExp): AsyncGenerator<TextFile> {
  const selected = files.filter(({path, sizeBytes}) => pattern.test(path) && sizeBytes <= FILE_BYTES_MAX);
  for (const file of selected.slice(0, FILES_MAX)) {
    yield {path: file.path, text: (await joinChunks(file.read())).toString()};
  }
}

function checkSize(files: readonly CheckedFile[]): readonly PluginFinding[] {
  const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  if (sizeBytes < LARGE_BYTES) return [];
  const largest = files.toSorted((a, b) => b.sizeBytes - a.sizeBytes).slice(0, 3);
  const named = largest.map(({path, sizeBytes: own}) => `${path} (${formatBytes(own)})`).join(', ');
  return [
    {
      level: 'warning',
      problem: `has files of ${formatBytes(sizeBytes)}, and most plugins have less than 5 MiB`,
      advice: `The largest are ${named}`,
    },
  ];
}

/** Maximum number of tokens from one name to the other: between both, compilers write the tests of `va_user?.session` out. */
const SESSION_TOKENS_MAX = 16;

/**
 * Finds a program of a page that reads the session of the pilot, or that registers a service worker.
 *
 * @param id Undefined if the manifest is wrong.
 */
function* checkProgram({path: file, text}: TextFile, id = 'ID'): Iterable<PluginFinding> {
  const session = findPair(text, ['va_user', 'session'], SESSION_TOKENS_MAX);
  const [grant, general] = [formatGrant(id, ['identity:secrets']), formatGrant('ID', ['identity:secrets'])];
  if (session !== undefined)
    yield {
      ...{level: 'warning', file, line: session},
      problem: 'reads va_user.session, which a page gets in the mode open only',
      advice: `Let the background of the plugin call the airline, or tell users to run "${grant.line ?? general.line}"`,
    };
  const worker = findPair(text, ['serviceWorker', 'register'], 2);
  if (worker !== undefined)
    yield {
      ...{level: 'warning', file, line: worker},
      problem: 'registers a service worker, which does not run: its script is answered 404',
      advice: 'Let the page work without it, and the background keep what has to stay',
    };
}

/**
 * Returns the first line in which two names are near each other, in any order, outside of strings and comments.
 *
 * @param tokensMax Maximum number of tokens from one to the other.
 */
function findPair(text: string, [a, b]: readonly [string, string], tokensMax: number): number | undefined {
  if (!text.includes(a) || !text.includes(b)) return undefined;
  const last = new Map<string, number>();
  let at = 0;
  try {
    for (const token of tokenizer(text, {ecmaVersion: 'latest', allowHashBang: true, locations: true})) {
      at++;
      const name = token.type === tokTypes.name ? textOf(token) : undefined;
      if (name !== a && name !== b) continue;
      last.set(name, at);
      const before = last.get(name === a ? b : a);
      if (before !== undefined && at - before <= tokensMax) return token.loc?.start.line;
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return undefined;
}
