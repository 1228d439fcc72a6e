import {createHash} from 'node:crypto';
import {createReadStream, createWriteStream} from 'node:fs';
import {readdir, stat, writeFile} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {pipeline} from 'node:stream/promises';
import {ZipFile} from 'yazl';
import {run} from './run.ts';

/** Time of all files in archives, in seconds since the Unix epoch: equal folders make equal archives. */
export const MODIFIED_SECONDS = 499_162_500;

/** Writes a folder into a ZIP. */
export async function writeZip(folder: string, to: string): Promise<void> {
  const zip = new ZipFile();
  const mtime = new Date(MODIFIED_SECONDS * 1000);
  const entries = await readdir(folder, {recursive: true, withFileTypes: true});
  const paths = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
  for (const path of paths.sort())
    zip.addFile(path, path.slice(dirname(folder).length + 1), {mtime, mode: 0o100644, forceDosTimestamp: true});
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(to));
}

/** Level of compression by `xz` in a release: it makes archives a tenth larger than level 9, in a quarter of the time. */
export const XZ_LEVEL = 3;

/** Writes a folder into a `tar.xz`. @param level Of `xz`, from 0 to 9. */
export async function writeTarXz(folder: string, to: string, level: number): Promise<void> {
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=u+rw,go+r,go-w'];
  const order = ['--sort=name', `--mtime=@${MODIFIED_SECONDS}`, '--format=gnu'];
  // A fixed number of threads: the archive depends on whether there is more than one.
  await run('tar', ['-I', `xz -${level} -T2`, ...owner, ...order, '-cf', to, basename(folder)], dirname(folder));
}

/** Writes the checksum of a file beside it, as `sha256sum --check` reads it. @returns The size of the file, in bytes. */
export async function writeChecksum(file: string): Promise<number> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  await writeFile(`${file}.sha256`, `${hash.digest('hex')}  ${basename(file)}\n`);
  return (await stat(file)).size;
}
