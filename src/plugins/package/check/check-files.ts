import {formatBytes} from '../../../domain/byte-size.ts';
import {checkPage, checkStyles} from './check-page.ts';
import {checkSources} from './check-sources.ts';
import type {PluginFinding, TextFile} from './finding.ts';

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

/**
 * Checks the texts and the sizes of the files of a package.
 *
 * @param id Undefined if the manifest is wrong.
 */
export async function checkFiles(
  files: readonly CheckedFile[],
  id: string | undefined,
): Promise<readonly PluginFinding[]> {
  const read = (pattern: RegExp): Promise<readonly TextFile[]> => readTexts(files, pattern);
  const paths = new Set(files.map(({path}) => path));
  const page = await read(/^ui\/.*\.m?js$/);
  const background = await read(/^background\/(?!(?:.*\/)?node_modules\/).*\.[cm]?js$/);
  return [
    checkPage(await read(/^ui\/.*\.html?$/), {id, files: paths}),
    checkStyles(await read(/^ui\/.*\.css$/)),
    checkSources(id, {background, page}),
    checkSize(files),
  ].flatMap(findings => findings.slice(0, FINDINGS_MAX));
}

async function readTexts(files: readonly CheckedFile[], pattern: RegExp): Promise<readonly TextFile[]> {
  const selected = files.filter(({path, sizeBytes}) => pattern.test(path) && sizeBytes <= FILE_BYTES_MAX);
  const texts: TextFile[] = [];
  for (const file of selected.slice(0, FILES_MAX)) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of file.read()) chunks.push(chunk);
    texts.push({path: file.path, text: Buffer.concat(chunks).toString()});
  }
  return texts;
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
