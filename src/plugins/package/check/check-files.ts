import {tokenizer, tokTypes} from 'acorn';
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

/** Maximum number of findings of one kind; the rest would not be read. */
const FINDINGS_MAX = 50;

/** Files whose texts are checked, by what they are. */
const KINDS = {
  page: /^ui\/.*\.html?$/,
  styles: /^ui\/.*\.css$/,
  program: /^ui\/.*\.m?js$/,
};

/**
 * Checks the texts of the files of a package. Has the text of one file in memory at a time.
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
    const chunks: Uint8Array[] = [];
    for await (const chunk of file.read()) chunks.push(chunk);
    yield {path: file.path, text: Buffer.concat(chunks).toString()};
  }
}

/** Maximum number of tokens from one name to the other: between both, compilers write the tests of `va_user?.session` out. */
const SESSION_TOKENS_MAX = 16;

/**
 * Finds a program of a page that reads the session of the pilot.
 *
 * @param id Undefined if the manifest is wrong.
 */
function checkProgram({path: file, text}: TextFile, id = 'ID'): readonly PluginFinding[] {
  const line = findSession(text);
  if (line === undefined) return [];
  const [grant, general] = [formatGrant(id, ['identity:secrets']), formatGrant('ID', ['identity:secrets'])];
  const problem = 'reads va_user.session, which a page gets in the mode open only';
  const advice = `Let the background of the plugin call the airline, or tell users to run "${grant.line ?? general.line}"`;
  return [{level: 'warning', file, line, problem, advice}];
}

/** Returns the first line in which both names are near each other, in any order, outside of strings and comments. */
function findSession(text: string): number | undefined {
  const [a, b] = ['va_user', 'session'];
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
      if (before !== undefined && at - before <= SESSION_TOKENS_MAX) return token.loc?.start.line;
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return undefined;
}
