import {formatBytes} from '../../../domain/byte-size.ts';
import {checkPage, checkStyles} from './check-page.ts';
import {checkProgram, RouteNames} from './check-sources.ts';
import {copyPart, type PluginFinding, type TextFile} from './finding.ts';
import {scanSource} from './scan-source.ts';

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
  background: /^background\/(?!(?:.*\/)?node_modules\/).*\.[cm]?js$/,
  program: /^(?:ui\/.*\.m?|background\/(?!(?:.*\/)?node_modules\/).*\.[cm]?)js$/,
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
  // Before any program is judged: a page may call routes of every file of the background.
  const routes = new RouteNames();
  for await (const {text} of readTexts(files, KINDS.background)) routes.add(scanSource(text));
  const known = {id, routes};
  return [
    ...(await collect(readTexts(files, KINDS.page), page => checkPage(page, {id, files: paths}))),
    ...(await collect(readTexts(files, KINDS.styles), checkStyles)),
    ...(await collect(readTexts(files, KINDS.program), program => checkProgram(program, known))),
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
    const chunks: Uint8Array[] = [];
    for await (const chunk of file.read()) chunks.push(chunk);
    yield {path: file.path, text: Buffer.concat(chunks).toString()};
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
