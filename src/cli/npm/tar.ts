import {Buffer} from 'node:buffer';

/** A file in an archive. */
export interface TarFile {
  /** Path with slashes, of at most 100 bytes: longer ones need prefixes, which no package of ours needs. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isExecutable: boolean;
}

/** Size of a header, and of the blocks of all content, in bytes (POSIX.1-1988, `ustar`). */
const BLOCK_BYTES = 512;

/** Longest path, in bytes (POSIX.1-1988). */
const PATH_BYTES_MAX = 100;

/** Time of all files, in seconds since the Unix epoch: that of npm, so that equal files make equal archives. */
const MODIFIED_SECONDS = 499_162_500;

/** Writes files into an archive that npm and `tar` read. @throws {RangeError} If a path is too long. */
export function writeTar(files: readonly TarFile[]): Uint8Array {
  const blocks = files.flatMap(file => [header(file), file.bytes, padding(file.bytes.length)]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function header({path, bytes, isExecutable}: TarFile): Uint8Array {
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) throw new RangeError(`The path ${path} has more than 100 bytes`);
  const block = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, at: number, length: number): void =>
    void block.write(value.toString(8).padStart(length, '0'), at);
  block.write(path, 0);
  octal(isExecutable ? 0o755 : 0o644, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(bytes.length, 124, 11);
  octal(MODIFIED_SECONDS, 136, 11);
  // The checksum counts itself as spaces.
  block.fill(' ', 148, 156);
  block.write('0', 156);
  block.write('ustar\x0000', 257);
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  block.writeUInt8(0, 154);
  return block;
}

function padding(sizeBytes: number): Uint8Array {
  return Buffer.alloc((BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES);
}
