import {close, constants, fstat, open} from 'node:fs';
import {promisify} from 'node:util';
import {crc32} from 'node:zlib';
import {type Entry, fromFdPromise, getFileNameLowLevel, type ZipFile} from 'yauzl';
import {formatBytes} from '../../core/domain/byte-size.ts';
import {messageOf} from '../../core/failures/app-error.ts';
import {INSTALLED_HALVES} from '../directory/plugin-halves.ts';
import {
  invalidEntry,
  invalidPackage,
  PACKAGE_BYTES_MAX,
  PACKAGE_FILES_MAX,
  PACKAGE_RATIO_MAX,
  type PackageFiles,
  PackageList,
  tooManyFiles,
} from './package-files.ts';

/**
 * Opens an archive and checks its directory: names, sizes and kinds of all entries, before anything is inflated. The library
 * checks the structure, and refuses 64-bit numbers that are not safe integers.
 *
 * @param source Name of the archive in failures.
 * @throws {AppError} `invalid-package`.
 */
export async function openZip(path: string, source: string): Promise<PackageFiles> {
  const zip = await openArchive(path, source);
  try {
    const list = await listEntries(zip, source);
    const {files} = list;
    return {files, halves: INSTALLED_HALVES, mayHaveFolder: true, [Symbol.asyncDispose]: async () => zip.close()};
  } catch (error) {
    zip.close();
    throw error;
  }
}

/** Opens a regular file. Refuses a pipe without waiting for its writer. */
async function openArchive(path: string, source: string): Promise<ZipFile> {
  // The library closes the descriptor, so it has to be a number and not a `FileHandle`.
  const descriptor = await promisify(open)(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const status = await promisify(fstat)(descriptor);
  const options = {autoClose: false, decodeStrings: false};
  try {
    if (!status.isFile()) throw new Error('it is not a file');
    return await fromFdPromise(descriptor, options);
  } catch (error) {
    await promisify(close)(descriptor);
    throw invalidPackage(source, `it is not a ZIP archive: ${lowerFirst(messageOf(error))}`, {cause: error});
  }
}

async function listEntries(zip: ZipFile, source: string): Promise<PackageList> {
  if (zip.fileSize > PACKAGE_BYTES_MAX)
    throw invalidPackage(source, `it is larger than ${formatBytes(PACKAGE_BYTES_MAX)}`);
  if (zip.entryCount > PACKAGE_FILES_MAX) throw tooManyFiles(source);
  const list = new PackageList(source);
  let packedBytes = 0;
  for await (const entry of readEntries(zip, source)) {
    addEntry(entry, {list, zip, source});
    packedBytes += entry.compressedSize;
    // Entries that share bytes let a small archive inflate to any size.
    if (packedBytes > zip.fileSize) throw invalidPackage(source, 'its entries overlap');
  }
  if (list.sizeBytes > zip.fileSize * PACKAGE_RATIO_MAX)
    throw invalidPackage(source, `its files are more than ${PACKAGE_RATIO_MAX} times as large as the archive`);
  return list;
}

async function* readEntries(zip: ZipFile, source: string): AsyncGenerator<Entry, void, undefined> {
  const entries = zip.eachEntry();
  for (;;) {
    const next = await entries.next().catch(error => {
      throw invalidPackage(source, `its directory is damaged: ${messageOf(error)}`, {cause: error});
    });
    if (next.done) return;
    yield next.value;
  }
}

/** Folder that macOS adds to archives; plugins do not need it. */
const MACOS_FOLDER = '__MACOSX/';

function addEntry(
  entry: Entry,
  {list, zip, source}: {readonly list: PackageList; readonly zip: ZipFile; readonly source: string},
): void {
  const name = readName(entry);
  // The folder itself.
  if (name === '') return;
  const isFolder = name.endsWith('/');
  const path = isFolder ? name.slice(0, -1) : name;
  const problem = findEntryProblem(entry, isFolder);
  if (problem !== undefined) throw invalidEntry(source, path, problem);
  if (isFolder || name.startsWith(MACOS_FOLDER)) {
    list.addFolder(path);
    return;
  }
  const isExecutable = ((entry.externalFileAttributes >>> 16) & OWNER_EXECUTES) !== 0;
  const read = (): AsyncIterable<Uint8Array> => inflate(entry, {path, zip, source});
  list.addFile({path, sizeBytes: entry.uncompressedSize, isExecutable, read});
}

/**
 * Returns the name of an entry with slashes, and without `./` before it. Windows PowerShell 5.1 and other programs on .NET Framework
 * before 4.6.1 write backslashes, whatever the specification of ZIP says.
 */
function readName({generalPurposeBitFlag, fileNameRaw, extraFields}: Entry): string {
  const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true);
  return name.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '');
}

/** Bits of the mode of a file, which archives of Unix have in the upper half of the attributes. */
const {S_IFMT, S_IFREG, S_IFDIR, S_IFLNK} = constants;
const OWNER_EXECUTES = 0o100;

/** Methods of compression: none, and deflate. */
const METHODS: readonly number[] = [0, 8];

function findEntryProblem(entry: Entry, isFolder: boolean): string | undefined {
  const kind = (entry.externalFileAttributes >>> 16) & S_IFMT;
  if (kind === S_IFLNK) return 'is a link';
  if (kind !== 0 && kind !== (isFolder ? S_IFDIR : S_IFREG)) return 'is neither a file nor a folder';
  if (isFolder && entry.uncompressedSize > 0) return 'is a folder with content';
  if (entry.isEncrypted()) return 'is encrypted';
  return METHODS.includes(entry.compressionMethod)
    ? undefined
    : `is compressed by method ${entry.compressionMethod}; only deflate is supported`;
}

/** Inflates a file. The library counts its bytes, and fails at the first one above the size in the directory. */
async function* inflate(
  entry: Entry,
  {path, zip, source}: {readonly path: string; readonly zip: ZipFile; readonly source: string},
): AsyncGenerator<Uint8Array, void, undefined> {
  let checksum = 0;
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
  } catch (error) {
    throw invalidEntry(source, path, `cannot be inflated: ${messageOf(error)}`);
  }
  if (checksum !== entry.crc32) throw invalidEntry(source, path, 'does not have its checksum');
}

function lowerFirst(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}
