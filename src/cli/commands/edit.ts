import type {Written} from '../../domain/entries/entries.ts';
import type {Entry} from '../../domain/entries/entry.ts';
import {AppError} from '../../failures/app-error.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {FileError} from '../../files/read-file.ts';
import {toUtf8} from '../../files/text-file.ts';
import {type JsonText, parseJsonText} from '../../json/json-text.ts';
import type {CallOf} from '../catalogue/call.ts';
import {AdvisedError} from '../failures/report.ts';
import {refusedUsage} from '../failures/usage.ts';
import {createEditedFile, type EditedFile} from '../input/edited-file.ts';
import {chooseEditedForm} from '../input/edited-form.ts';
import {openEditor} from '../input/editor.ts';
import {lineAndColumnOf, unreadableFile} from '../input/value-input.ts';
import {connect} from '../service/connection.ts';
import type {CliContext} from '../terminal/context.ts';
import {escapeControls, escapeText, jsonLine} from '../terminal/escape.ts';
import {canAsk, confirm} from '../terminal/prompts.ts';

type EditCall = CallOf<'edit'>;

/** `crewroom edit`: opens a value in the editor of the user, and stores it unless the entry has changed meanwhile. */
export async function run(call: EditCall): Promise<ExitCode> {
  const [key = ''] = call.arguments;
  if (!canAsk(call.context))
    throw refusedUsage(
      'edit',
      'an editor needs a terminal',
      'Without one, store a value with "crewroom put KEY @FILE", or change members with "crewroom patch KEY PATCH"',
    );
  const {client} = await connect(call);
  const entry = await client.entries.get(key);
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
    await reportUnchanged(key, entry, call);
    return EXIT.ok;
  }
  const written = await adviseOnFile(editing, () =>
    client.entries.put(key, edited, {
      expected: entry?.revision ?? 'absent',
      ttlSeconds: remainingSeconds(entry, call.context),
    }),
  );
  await file.remove();
  await reportWritten(key, written, call);
  return EXIT.ok;
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
  readonly entry: Entry | undefined;
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
      if (!(error instanceof AppError) || error.failure.code !== 'invalid-json') throw error;
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
    const {failure} = error;
    if (failure.code !== 'revision-conflict')
      throw new AdvisedError(error, `Your version is kept; to store it: ${storeCommand(editing)}`);
    throw new AdvisedError(error, adviseAfterConflict(editing, failure.conflicts[0]?.actual));
  }
}

function adviseAfterConflict(editing: Editing, actual = 'absent'): string {
  if (actual === 'absent') return `Your version is kept; to store it anyway: ${storeCommand(editing, '--if-absent')}`;
  const look = formatCommand(['get'], [editing.key], editing);
  return `Your version is kept; look at the new one (${look}), then store it: ${storeCommand(editing, `--if-match ${actual}`)}`;
}

function conditionOf(entry: Entry | undefined): string {
  return entry === undefined ? '--if-absent' : `--if-match ${entry.revision}`;
}

/** Returns the command line that stores the file, by default if the entry is as it was. */
function storeCommand(editing: Editing, condition = conditionOf(editing.entry)): string {
  const {file, key} = editing;
  return formatCommand(['put', condition], [key, `@${file.path}`], editing);
}

function formatCommand(
  start: readonly string[],
  [key = '', ...others]: readonly string[],
  {platform}: Editing,
): string {
  const end = key.startsWith('-') ? ['--'] : [];
  return ['crewroom', ...start, ...end, ...[key, ...others].map(word => quoteWord(word, platform))].join(' ');
}

/** Returns the rest of a time to live, rounded up: after a write without one the entry would never expire. */
function remainingSeconds(entry: Entry | undefined, {nowMs}: CliContext): number | undefined {
  if (entry?.expiresAtMs === undefined) return undefined;
  // If the entry has expired meanwhile, it is absent, and the write is refused in any case.
  return Math.max(1, Math.ceil((entry.expiresAtMs - nowMs()) / 1000));
}

async function reportUnchanged(key: string, entry: Entry | undefined, {context, flags}: EditCall): Promise<void> {
  const {stdout, stderr} = context;
  const revision = entry === undefined ? {} : {revision: String(entry.revision)};
  if (flags.json) await stdout.write(jsonLine({key, ...revision, changed: false}));
  else await stderr.write('Nothing was changed\n');
}

async function reportWritten(key: string, {revision, created}: Written, {context, flags}: EditCall): Promise<void> {
  const {stdout, stderr} = context;
  if (flags.json) await stdout.write(jsonLine({key, revision: String(revision), changed: true, created}));
  else await stderr.write(`${created ? 'Created' : 'Replaced'} at revision ${revision}\n`);
}

/** Quotes a word for a shell if necessary. */
function quoteWord(word: string, platform: NodeJS.Platform): string {
  if (/^[A-Za-z0-9_./:@%+=,-]+$/.test(word)) return word;
  if (platform === 'win32') return `"${word.replaceAll('"', '\\"')}"`;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
