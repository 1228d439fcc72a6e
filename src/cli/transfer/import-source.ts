import {stat} from 'node:fs/promises';
import {streamAsUtf8} from '../../core/files/text-file.ts';
import {readExportPrefix} from '../../core/protocol/transfer/export-ends.ts';
import {AdvisedError} from '../failures/report.ts';
import {type InputFile, openInputFile} from '../input/input-file.ts';
import {unreadableFile} from '../input/value-input.ts';
import type {CliContext} from '../terminal/context.ts';

/** An export to be imported. */
export interface ImportSource {
  /** The name in messages. */
  readonly name: string;
  /** Undefined if it is not known before the end. */
  readonly sizeBytes: number | undefined;
  /** True if it can be read twice. */
  readonly isFile: boolean;
  /** Reads it from the beginning. */
  chunks(): AsyncIterable<Uint8Array>;
  /** Stops reading. */
  close(): void;
}

/** Creates a source of standard input, which can be read once. */
export function standardInput({stdin}: CliContext): ImportSource {
  return {
    name: 'standard input',
    sizeBytes: undefined,
    isFile: false,
    chunks: () => readText(() => stdin.chunks(), 'standard input'),
    close: () => stdin.close(),
  };
}

/**
 * Creates a source of a file. A file that is not regular, such as a pipe, can be read once.
 *
 * @param name The name in messages.
 * @throws {AdvisedError} `unreadable-input`; the chunks too.
 */
export async function fileSource(path: string, name: string): Promise<ImportSource> {
  const found = await stat(path).catch(error => {
    throw unreadable(name, error);
  });
  if (found.isDirectory()) throw unreadable(name, new Error('it is a directory'));
  const isFile = found.isFile();
  let opened: InputFile | undefined;
  return {
    name,
    sizeBytes: isFile ? found.size : undefined,
    isFile,
    chunks: () =>
      readText(() => {
        opened = openInputFile(path);
        return opened.chunks;
      }, name),
    close: () => opened?.close(),
  };
}

/**
 * Reads the prefix of an export, of whose keys an import can replace or delete entries; all keys if it can be read only once.
 *
 * @throws {AdvisedError} `unreadable-input`.
 */
export async function readPrefix(source: ImportSource): Promise<string> {
  let start = '';
  if (source.isFile)
    for await (const chunk of source.chunks()) {
      start += Buffer.from(chunk).toString();
      if (start.includes('\n') || start.length > HEADER_LENGTH_MAX) break;
    }
  return readExportPrefix(start) ?? '';
}

/** More than the first line of an export has, in characters: six for each byte of a prefix, and its other members. */
const HEADER_LENGTH_MAX = 8192;

async function* readText(
  open: () => AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* streamAsUtf8(open());
  } catch (error) {
    throw unreadable(name, error);
  }
}

function unreadable(source: string, error: unknown): AdvisedError {
  const advice = 'Give a file that "crewroom export" wrote, or "-" for standard input';
  return new AdvisedError(unreadableFile(source, error), advice);
}
