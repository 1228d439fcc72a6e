import {dirname} from 'node:path';
import {fileURLToPath} from 'node:url';
import {run} from './run.ts';

const SCRIPT = fileURLToPath(new URL('installer.nsi', import.meta.url));

/** Makes the installer for Windows of a folder. */
export async function writeInstaller({
  folder,
  version,
  sizeBytes,
  isCompressed = true,
  to,
}: {
  readonly folder: string;
  readonly version: string;
  readonly sizeBytes: number;
  /** False for a large installer that is made in a moment. */
  readonly isCompressed?: boolean;
  readonly to: string;
}): Promise<void> {
  const values = {VERSION: version, FOLDER: folder, SIZE_KIB: String(Math.ceil(sizeBytes / 1024)), OUT: to};
  const words = Object.entries(values).map(([name, value]) => `-D${name}=${value}`);
  const compression = isCompressed ? [] : ['-XSetCompress off'];
  await run('makensis', ['-V2', '-WX', ...compression, ...words, SCRIPT], dirname(SCRIPT));
}
