import {spawn} from 'node:child_process';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Written} from '../../core/domain/entries/entries.ts';
import type {TypedEntry} from '../../core/domain/entries/typed-entry.ts';
import {findFileNameProblem} from '../../core/domain/plugins/file-name.ts';
import {AppError, isFailure} from '../../core/failures/app-error.ts';
import {formatLine, type LineWord} from '../../core/failures/copied-line.ts';
import {PRIVATE_FILE_MODE} from '../../core/files/own.ts';
import {FileError, toUtf8} from '../../core/files/text-file.ts';
import {lineAndColumnOf} from '../../core/json/json-document.ts';
import {type JsonText, parseJsonText} from '../../core/json/json-text.ts';
import {windowsProgram} from '../../platform/system/windows-programs.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {AdvisedError, refusedUsage} from '../failures/report.ts';
import {unreadableFile, unreadableInput} from '../input/value-input.ts';
import {compactJson, indentJson} from '../output/indent-json.ts';
import {connect} from '../service/connection.ts';
import {type CliContext, escapeControls, escapeText} from '../terminal/context.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';
import {canAsk, confirm} from '../terminal/prompts.ts';
import {remainingSeconds} from '../transfer/earlier-value.ts';
import {describeWritten} from './write.ts';

type EditCall = CallOf<'edit'>;

/** `crewroom edit`: opens a value in the editor of the user, and stores it unless the entry has changed meanwhile. */
export async function run(call: EditCall): Promise<CommandOutcome> {
  const [key = ''] = call.arguments;
  if (!canAsk(call.context))
    throw refusedUsage(
      'edit',
      'an editor needs a terminal',
      'Without one, store a value with "crewroom put KEY @FILE", or change members with "crewroom patch KEY PATCH"',
    );
  const {ifMatch: expected} = call.flags;
  const {client} = await connect(call);
  const entry = await client.entries.get(key);
  // Before the user edits what is not wanted any more.
  if (expected !== undefined) await client.entries.transact({checks: [{key, expected}], operations: []});
  const before = entry?.json ?? Buffer.from('null');
  const form = chooseEditedForm(before);
  const file = await createEditedFile(key, form.shown);
  const editing = {file, key, entry, platform: call.context.platform};
  const {elapsedMs, platform} = call.context;
  const openedAtMs = elapsedMs();
  const edited = form.restore(await editUntilJson(editing, call.context));
  if (Buffer.compare(edited, before) === 0) {
    // A program with windows may have passed the file on to its window, and ended.
    const isOpen = platform !== 'linux' && elapsedMs() - openedAtMs < EDITED_MIN_MS;
    if (isOpen) await adviseOnOpenFile(editing, call);
    else await file.remove();
    return {json: {}, note: 'Nothing was changed\n'};
  }
  const written = await adviseOnFile(editing, () =>
    client.entries.put(key, edited, {
      expected: entry?.revision ?? 'absent',
      ttlSeconds: remainingSeconds(entry, call.context),
    }),
  );
  await file.remove();
  return describeWritten(call, {entries: client.entries, key, written});
}

/** Shortest time in which a person edits a file, in milliseconds. */
const EDITED_MIN_MS = 1000;

/** Says what to do if an editor returned at once, as Notepad of Windows 11 and `code` without `--wait` do. */
async function adviseOnOpenFile(editing: Editing, {context: {stderr}}: EditCall): Promise<void> {
  const command = storeCommand(editing);
  await stderr.write(
    escapeText(
      `The editor ended at once, and its file is kept. If it is still open, save it there, then store it: ${command}\n` +
        'Set EDITOR to an editor that waits until the file is closed, such as "code --wait"\n',
    ),
  );
}

interface Editing {
  readonly file: EditedFile;
  readonly key: string;
  /** The entry before; undefined if there was none. */
  readonly entry: TypedEntry | undefined;
  readonly platform: NodeJS.Platform;
}

/** Opens the editor until the file is JSON, or the user gives up. */
async function editUntilJson(editing: Editing, context: CliContext): Promise<JsonText> {
  for (;;) {
    await openEditor(editing.file.path, context).catch(async error => {
      // The user has not changed it.
      await editing.file.remove();
      throw error;
    });
    const bytes = await readEdited(editing);
    try {
      return parseJsonText(bytes, {depthMax: Infinity});
    } catch (error) {
      if (!isFailure(error, 'invalid-json')) throw error;
      const problem = `${error.failure.problem} at ${lineAndColumnOf(bytes, error.failure.position)}`;
      const again = `Cannot store this: ${escapeControls(problem)}. Open it again?`;
      if (await confirm(again, context)) continue;
      // The question has named the position already.
      const failure = {code: 'unreadable-input', source: 'what you typed', problem: 'it is not JSON'} as const;
      const advice = `Correct it, then store it: ${storeCommand(editing)}`;
      throw new AdvisedError(new AppError(failure, {cause: error}), advice);
    }
  }
}

/** Reads the file as text: some editors add a byte order mark. */
async function readEdited(editing: Editing): Promise<Buffer> {
  try {
    return toUtf8(await editing.file.read());
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const advice = `Save it as UTF-8, then store it: ${storeCommand(editing)}`;
    throw new AdvisedError(unreadableFile('what you typed', error), advice);
  }
}

/** Adds advice to a failure: the edited file is kept, and how to store it. */
async function adviseOnFile(editing: Editing, store: () => Promise<Written>): Promise<Written> {
  try {
    return await store();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (!isFailure(error, 'revision-conflict'))
      throw new AdvisedError(error, `Your version is kept; to store it: ${storeCommand(editing)}`);
    throw new AdvisedError(error, adviseAfterConflict(editing, error.failure.conflicts[0]?.actual));
  }
}

function adviseAfterConflict(editing: Editing, actual = 'absent'): string {
  if (actual === 'absent') return `Your version is kept; to store it anyway: ${storeCommand(editing, ['--if-absent'])}`;
  const look = formatCommand(['get'], editing);
  return `Your version is kept; look at the new one (${look}), then store it: ${storeCommand(editing, ['--if-match', actual])}`;
}

function conditionOf(entry: TypedEntry | undefined): readonly string[] {
  return entry === undefined ? ['--if-absent'] : ['--if-match', String(entry.revision)];
}

/** Returns the command line that stores the file, by default if the entry is as it was. */
function storeCommand(editing: Editing, condition = conditionOf(editing.entry)): string {
  return formatCommand(['put', ...condition], editing, [`@${editing.file.path}`]);
}

/** Formats a command about the key; without a line for the shell of the user, with its parts apart. */
function formatCommand(start: readonly string[], {key, platform}: Editing, rest: readonly string[] = []): string {
  // PowerShell does not pass a "--" on to each program.
  const named: readonly LineWord[] = key.startsWith('-') && platform !== 'win32' ? ['--', key] : [{outside: key}];
  const line = formatLine(['crewroom', ...start, ...named, ...rest], platform);
  return line ?? `"crewroom ${start.join(' ')}" with ${[`the key ${JSON.stringify(key)}`, ...rest].join(' and ')}`;
}

/** A file that holds a value while the user edits it. It is kept for the user unless it is removed. */
type EditedFile = Awaited<ReturnType<typeof createEditedFile>>;

/** Maximum length of the part of the key that the name of the file shows, in characters. */
const NAME_LENGTH_MAX = 60;

/** Writes a value to a new file that only this user can read; its name ends in `.json`, for the editor. */
async function createEditedFile(key: string, json: Uint8Array) {
  const directory = await mkdtemp(join(tmpdir(), 'crewroom-edit-'));
  // Only characters that every file system accepts; the first one does not look like a flag.
  const name = key
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[-.]+/, '')
    .slice(-NAME_LENGTH_MAX);
  const file = `${name || 'value'}.json`;
  const path = join(directory, findFileNameProblem(file) === undefined ? file : `key-${file}`);
  // Editors expect the last line to end with a line break.
  await writeFile(path, Buffer.concat([json, Buffer.from('\n')]), {mode: PRIVATE_FILE_MODE, flag: 'wx'});
  return {path, read: () => readFile(path), remove: () => rm(directory, {recursive: true, force: true})};
}

/** Largest value that is indented, in bytes: with 256 levels it can become 500 times as long. */
const INDENTED_BYTES_MAX = 256 * 1024;

/**
 * Chooses the form in which a value is edited. A value without white space is indented for the editor and compacted again; its
 * tokens stay the same, even numbers that JavaScript cannot represent. Any other value is edited unchanged.
 *
 * @returns The text in the editor, and what makes the value to store of an edited JSON text.
 */
function chooseEditedForm(json: Uint8Array) {
  const asItIs = {shown: json, restore: (edited: Uint8Array) => edited};
  if (json.length > INDENTED_BYTES_MAX) return asItIs;
  const text = Buffer.from(json).toString();
  const indented = indentJson(text);
  if (compactJson(indented) !== text) return asItIs;
  return {
    shown: Buffer.from(indented),
    restore: (edited: Uint8Array): Uint8Array => Buffer.from(compactJson(Buffer.from(edited).toString())),
  };
}

/** The editor if none is chosen: every system has it. */
function defaultEditor({platform, environment}: CliContext): string {
  return platform === 'win32' ? `"${windowsProgram('notepad.exe', environment)}"` : 'vi';
}

/**
 * Opens a file in the editor of the user, `$VISUAL` or `$EDITOR`, and waits until it is closed.
 *
 * @throws {AdvisedError} `unreadable-input` if the editor does not exist, or failed.
 */
async function openEditor(file: string, context: CliContext): Promise<void> {
  const {VISUAL: visual = '', EDITOR: editor = ''} = context.environment;
  const command = visual.trim() || editor.trim() || defaultEditor(context);
  // Ctrl+C is for the editor: if it ended this process, the file would stay behind.
  const release = context.onSignal('SIGINT', () => {});
  try {
    const problem = await runEditor(command, file, context);
    if (problem === undefined) return;
    throw new AdvisedError(
      unreadableInput(`what the editor ${JSON.stringify(command)} wrote`, problem),
      'Set VISUAL or EDITOR to an editor that waits until the file is closed; nothing was stored',
    );
  } finally {
    release();
  }
}

/** Runs the editor with the streams of this process; returns the problem, if any. */
function runEditor(command: string, file: string, context: CliContext): Promise<string | undefined> {
  const {environment, platform, workingDirectory: cwd} = context;
  // The variable keeps the shell of Windows from looking for the editor in the working directory first.
  const env = {...environment, ...(platform === 'win32' ? {NoDefaultCurrentDirectoryInExePath: '1'} : {})};
  const options = {stdio: 'inherit', cwd, env} as const;
  // A shell splits the command, which may have arguments ("code --wait"), as Git does.
  const child =
    platform === 'win32'
      ? spawn(`${command} "${file}"`, {...options, shell: windowsProgram('cmd.exe', environment)})
      : spawn('/bin/sh', ['-c', `${command} "$@"`, command, file], options);
  return new Promise(resolve => {
    child.once('error', ({message}) => resolve(message));
    child.once('exit', (exitCode, signal) => {
      if (exitCode === 0) resolve(undefined);
      else resolve(signal === null ? describeExit(exitCode) : `it was ended by ${signal}`);
    });
  });
}

/** The exit code of shells for an unknown command (POSIX, Shell Command Language 2.8.2). */
const NOT_FOUND = 127;

function describeExit(exitCode: number | null): string {
  return exitCode === NOT_FOUND ? 'there is no such command' : `it ended with exit code ${exitCode}`;
}
