import type {Written} from '../../domain/entries.ts';
import type {Entry} from '../../domain/entry.ts';
import {AppError} from '../../domain/failure.ts';
import {type JsonText, parseJsonText} from '../../domain/json-text.ts';
import type {CallOf} from '../catalogue/call.ts';
import type {EDIT} from '../catalogue/data-commands.ts';
import {EXIT, type ExitCode} from '../failures/exit-codes.ts';
import {AdvisedError} from '../failures/report.ts';
import {createEditedFile, type EditedFile} from '../input/edited-file.ts';
import {chooseEditedForm} from '../input/edited-form.ts';
import {openEditor} from '../input/editor.ts';
import {connect} from '../service/connection.ts';
import type {CliContext} from '../terminal/context.ts';
import {escapeControls, jsonLine} from '../terminal/escape.ts';
import {canAsk, confirm} from '../terminal/prompts.ts';

type EditCall = CallOf<typeof EDIT>;

/** `crewroom edit`: a value in the editor of the user, stored again if nobody else has written it meanwhile. */
export async function run(call: EditCall): Promise<ExitCode> {
  const [key = ''] = call.arguments;
  const {client} = await connect(call);
  const entry = await client.entries.get(key);
  const before = entry?.json ?? Buffer.from('null');
  const form = chooseEditedForm(before);
  const file = await createEditedFile(key, form.shown);
  const editing = {file, key, entry, platform: call.context.platform};
  const edited = form.restore(await editUntilJson(editing, call.context));
  if (Buffer.compare(edited, before) === 0) {
    await file.remove();
    await tellUnchanged(key, entry, call);
    return EXIT.ok;
  }
  const written = await keepingFile(editing, () =>
    client.entries.put(key, edited, {
      expected: entry?.revision ?? 'absent',
      ttlSeconds: remainingSeconds(entry, call.context),
    }),
  );
  await file.remove();
  await tellWritten(key, written, call);
  return EXIT.ok;
}

interface Editing {
  readonly file: EditedFile;
  readonly key: string;
  /** What was there before; undefined where nothing was. */
  readonly entry: Entry | undefined;
  readonly platform: NodeJS.Platform;
}

/** Lets the user edit, again and again where there is somebody to ask, until what is there is JSON. */
async function editUntilJson(editing: Editing, context: CliContext): Promise<JsonText> {
  for (;;) {
    await openOrRemove(editing, context);
    const bytes = await editing.file.read();
    try {
      return parseJsonText(bytes, {depthMax: Infinity});
    } catch (error) {
      if (!(error instanceof AppError) || error.failure.code !== 'invalid-json') throw error;
      const problem = `${error.failure.problem} at ${placeOf(bytes, error.failure.position)}`;
      const again = `Cannot store this: ${escapeControls(problem)}. Open it again?`;
      const asks = canAsk(context);
      if (asks && (await confirm(again, context))) continue;
      // The question has named the place already.
      const failure = {
        code: 'unreadable-input',
        source: 'what you typed',
        problem: asks ? 'it is not JSON' : problem,
      } as const;
      const advice = `Correct it, then store it: ${storeCommand(editing, conditionOf(editing.entry))}`;
      throw new AdvisedError(new AppError(failure, {cause: error}), advice);
    }
  }
}

/** An editor that fails has changed nothing that is worth keeping. */
async function openOrRemove({file}: Editing, context: CliContext): Promise<void> {
  try {
    await openEditor(file.path, context);
  } catch (error) {
    await file.remove();
    throw error;
  }
}

/** Where a byte is, as editors count. */
function placeOf(bytes: Uint8Array, position: number): string {
  const before = Buffer.from(bytes.subarray(0, position)).toString().split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

/** Says how to go on where something goes wrong: what was typed stays in its file. */
async function keepingFile(editing: Editing, store: () => Promise<Written>): Promise<Written> {
  try {
    return await store();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const {failure} = error;
    if (failure.code !== 'revision-conflict')
      throw new AdvisedError(error, `Yours is kept; to store it: ${storeCommand(editing, conditionOf(editing.entry))}`);
    throw new AdvisedError(error, adviseAfterConflict(editing, failure.conflicts[0]?.actual));
  }
}

function adviseAfterConflict(editing: Editing, actual = 'absent'): string {
  if (actual === 'absent') return `Yours is kept; to store it nevertheless: ${storeCommand(editing, '--if-absent')}`;
  const look = formatCommand(['get'], [editing.key], editing);
  return `Yours is kept; look at theirs (${look}), then store it: ${storeCommand(editing, `--if-match ${actual}`)}`;
}

function conditionOf(entry: Entry | undefined): string {
  return entry === undefined ? '--if-absent' : `--if-match ${entry.revision}`;
}

/** The command line that stores what is in the file. */
function storeCommand(editing: Editing, condition: string): string {
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

/** What is left of a time to live, rounded up: a write without one would let the entry stay for ever. */
function remainingSeconds(entry: Entry | undefined, {nowMs}: CliContext): number | undefined {
  if (entry?.expiresAtMs === undefined) return undefined;
  // One that has expired meanwhile is absent, and so the write is refused whatever it says.
  return Math.max(1, Math.ceil((entry.expiresAtMs - nowMs()) / 1000));
}

async function tellUnchanged(key: string, entry: Entry | undefined, {context, flags}: EditCall): Promise<void> {
  const {stdout, stderr} = context;
  const revision = entry === undefined ? {} : {revision: String(entry.revision)};
  if (flags.json) await stdout.write(jsonLine({key, ...revision, changed: false}));
  else await stderr.write('Nothing was changed\n');
}

async function tellWritten(key: string, {revision, created}: Written, {context, flags}: EditCall): Promise<void> {
  const {stdout, stderr} = context;
  if (flags.json) await stdout.write(jsonLine({key, revision: String(revision), changed: true, created}));
  else await stderr.write(`${created ? 'Created' : 'Replaced'} at revision ${revision}\n`);
}

/** A word as one may type it in a shell, with quotes where it needs them. */
function quoteWord(word: string, platform: NodeJS.Platform): string {
  if (/^[A-Za-z0-9_./:@%+=,-]+$/.test(word)) return word;
  if (platform === 'win32') return `"${word.replaceAll('"', '\\"')}"`;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
