import {type ForkOptions, fork} from 'node:child_process';
import {on} from 'node:events';
import {statSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {abandon} from '../../platform/system/exit-limit.ts';
import {engineOptions} from './environment.ts';
import {assertOpens} from './opening-trial.ts';

/** Takes what is read of a table. */
export interface TableReader {
  /** Called before the first record, with the number of records that the table should have. */
  expect(records: number): void;
  /** Called for each record, in the order of the keys. */
  take(key: Buffer, value: Buffer): void;
}

/** Records of a table, from the process that reads it. */
interface TableMessage {
  readonly name: string;
  /** Undefined if there is no such table, or the engine cannot open it. */
  readonly expected?: number;
  readonly records: readonly (readonly [key: Buffer, value: Buffer])[];
  /** True for the last message of a table. */
  readonly isEnd?: boolean;
  /** The reason why its other records cannot be read. */
  readonly problem?: string;
  /** Number of tables in the file. */
  readonly tables: number;
}

/** Longest time until a message with a megabyte of records arrives, in milliseconds. */
const MESSAGE_MS_MAX = 60_000;

const PROGRAM = fileURLToPath(new URL('read-tables-process.js', import.meta.url));

/**
 * Reads tables, one after the other, with the engine in a process of its own: on a damaged page the engine can end the process, or not
 * return. Then another process goes on with the next table. No process may be writing to the files.
 *
 * @returns Messages about what the engine cannot read.
 * @throws {OpeningError} If the engine cannot open files there. The reason of `signal` if it is aborted.
 */
export async function readTables(
  directory: string,
  readers: Readonly<Record<string, TableReader>>,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const engine = engineOptions({directory, readOnly: true});
  await assertOpens({directory, readOnly: true, engine});
  const fileBytes = statSync(join(directory, 'data.mdb')).size;
  const damage: string[] = [];
  const left = Object.keys(readers);
  const opened = new Set<string>();
  let tables = 0;
  const onMessage = (message: TableMessage): void => {
    const {name, expected, records, problem, isEnd} = message;
    tables = message.tables;
    if (expected !== undefined) {
      opened.add(name);
      readers[name]?.expect(expected);
    }
    for (const record of records) readers[name]?.take(...record);
    if (problem !== undefined) damage.push(`table "${name}": ${problem}`);
    if (isEnd) left.shift();
  };
  while (left.length > 0) {
    signal?.throwIfAborted();
    const ending = await follow(JSON.stringify({engine, names: left, fileBytes}), onMessage, signal);
    const name = left.shift();
    if (name !== undefined) damage.push(`table "${name}": ${ending}`);
  }
  if (tables > opened.size && damage.length === 0) damage.push(`${tables - opened.size} tables are missing`);
  return damage;
}

/** Starts the process that reads, and passes its messages on. @returns How it ended. @throws The reason of `signal` if it is aborted. */
async function follow(
  request: string,
  onMessage: (message: TableMessage) => void,
  signal: AbortSignal | undefined,
): Promise<string> {
  // Nothing is inherited: the engine prints before it ends the process.
  const stdio: ForkOptions['stdio'] = ['ignore', 'ignore', 'ignore', 'ipc'];
  const reader = fork(PROGRAM, [request], {
    execArgv: [],
    serialization: 'advanced',
    windowsHide: true,
    stdio,
  } as ForkOptions);
  const late = setTimeout(() => reader.kill('SIGKILL'), MESSAGE_MS_MAX);
  try {
    for await (const [message] of on(reader, 'message', {close: ['close'], signal})) {
      late.refresh();
      onMessage(message);
    }
    return `the engine ended its process (${reader.signalCode ?? reader.exitCode})`;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(late);
    reader.kill('SIGKILL');
    abandon(reader);
  }
}
