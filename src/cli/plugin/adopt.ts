import {execFile} from 'node:child_process';
import {lstat, mkdir, realpath} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {promisify} from 'node:util';
import {AppError, messageOf, unwritableOutput} from '../../core/failures/app-error.ts';
import {formatLine} from '../../core/failures/copied-line.ts';
import {replaceFile, SHARED_FILE_MODE} from '../../core/files/directory.ts';
import {FileError} from '../../core/files/text-file.ts';
import {resolvePath} from '../../platform/paths.ts';
import {installedProgram} from '../../platform/system/windows-programs.ts';
import {type Adoption, type FileChange, type ProvidedSdk, planAdoption} from '../../plugins/sources/adopt-project.ts';
import type {OlderSdk} from '../../plugins/sources/author-project.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {AdvisedError} from '../failures/report.ts';
import {unreadableInput} from '../input/value-input.ts';
import {provideOwnPackages} from '../npm/own-packages.ts';
import {formatFiles} from '../output/counts.ts';
import {type CliContext, escapeControls} from '../terminal/context.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';

type PluginCall = CallOf<'plugin'>;

/** `crewroom plugin adopt`: writes into a published plugin's project what it lacks to be installed and run here. */
export async function adopt({context, flags}: PluginCall, name: string): Promise<CommandOutcome> {
  const {dryRun = false, force = false} = flags;
  const directory = await realpath(resolvePath(name, context)).catch(error => {
    throw unreadableInput(JSON.stringify(name), messageOf(error));
  });
  const adoption = await plan(directory);
  if (!dryRun && !force) await assertCommitted(directory, adoption, context);
  if (!dryRun) for (const change of adoption.changes) await write(directory, change, context.randomName());
  const ignored = await findIgnored(
    directory,
    adoption.changes.map(({file}) => file),
    context,
  );
  const changes = adoption.changes.map(({file, lines}) => ({file, lines}));
  const lines = changes.flatMap(({file, lines: changed}) => [file, ...changed.map(line => `  ${line}`)]);
  return {
    json: {directory, dryRun, changes, ignoredFiles: ignored, next: adoption.next},
    text: lines.map(line => `${escapeControls(line)}\n`).join(''),
    note: ignored.length > 0 ? `${escapeControls(describeIgnored(ignored))}\n` : '',
    lines: [describe(adoption, dryRun)],
  };
}

async function plan(directory: string): Promise<Adoption> {
  try {
    return await planAdoption(directory, provide);
  } catch (error) {
    const problem =
      error instanceof FileError && error.problem === 'missing'
        ? 'has no plugin.json'
        : `cannot be read: ${messageOf(error)}`;
    const failure = {code: 'invalid-plugin', plugin: basename(directory), problems: [{path: '$', problem}]} as const;
    throw new AdvisedError(new AppError(failure, {cause: error}), 'Give the folder of the project of a plugin');
  }
}

/** Says how a project gets the package in the place of an SDK, under the name of the SDK. */
async function provide({standIn}: OlderSdk): Promise<ProvidedSdk> {
  const [own] = await provideOwnPackages([standIn]);
  if (own === undefined) throw new Error(`there is no package ${standIn}`);
  return own.file === undefined ? {specifier: `npm:${standIn}@${own.specifier}`} : own;
}

/** Asserts that git has what the files were before. */
async function assertCommitted(directory: string, {changes}: Adoption, context: CliContext): Promise<void> {
  const files = changes.map(({file}) => file);
  const [uncommitted] = files.length === 0 ? [] : await findUncommitted(directory, files, context);
  if (uncommitted === undefined) return;
  throw new AdvisedError(
    unwritableOutput(uncommitted.file, uncommitted.problem),
    'Commit or stash its changes first, or use --force; nothing was written',
  );
}

async function write(directory: string, {file, after}: FileChange, suffix: string): Promise<void> {
  const path = join(directory, file);
  try {
    await mkdir(dirname(path), {recursive: true});
    await replaceFile(path, handle => handle.writeFile(after), {
      mode: SHARED_FILE_MODE,
      temporary: `${path}.${suffix}`,
    });
  } catch (error) {
    throw unwritableOutput(file, messageOf(error));
  }
}

function describeIgnored(files: readonly string[]): string {
  const line = formatLine(['git', 'add', '--force', ...files.map(outside => ({outside}))], 'any') ?? 'git add --force';
  return `Git ignores ${files.join(' ')}, which other clones need: "${line}", in that folder, adds ${files.length === 1 ? 'it' : 'them'}`;
}

function describe({changes, next}: Adoption, dryRun: boolean): string {
  const what =
    changes.length === 0
      ? 'Nothing has to change'
      : `${dryRun ? 'Would change' : 'Changed'} ${formatFiles(changes.length)}`;
  const steps = next.length === 0 ? '' : `; next, in that folder: ${next.join(' && ')}`;
  return what + steps;
}

/** Longest run of git, in milliseconds; it takes some tens. */
const GIT_TIMEOUT_MS = 10_000;

/** Git that only reads: it takes no locks, and starts no program that a repository names. */
const READ_ONLY = ['--no-optional-locks', '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];

/**
 * Finds the files that git could not give back: with changes that are not committed; none in a folder without git. If git cannot tell, all
 * files count.
 */
async function findUncommitted(folder: string, files: readonly string[], system: GitSystem) {
  if (!(await isInRepository(folder))) return [];
  try {
    const status = await runGit(folder, ['status', '--porcelain', '-z', '--ignored', '--', ...files], system);
    const changed = status.split('\0').filter(line => line !== '');
    const isChanged = (file: string): boolean => changed.some(line => line.slice(3).endsWith(file));
    return files.filter(isChanged).map(file => ({file, problem: 'it has changes that are not committed'}));
  } catch (error) {
    const problem = `git does not say whether it is committed: ${messageOf(error)}`;
    return files.map(file => ({file, problem}));
  }
}

/** Finds the files that git leaves out of commits, also those that do not exist yet; none if git cannot tell. */
async function findIgnored(folder: string, files: readonly string[], system: GitSystem) {
  // It fails if it ignores none.
  const ignored = await runGit(folder, ['check-ignore', '-z', '--stdin'], system, files.join('\0')).catch(() => '');
  return ignored.split('\0').filter(file => file !== '');
}

type GitSystem = Pick<CliContext, 'platform' | 'environment'>;

async function runGit(folder: string, args: readonly string[], system: GitSystem, input = ''): Promise<string> {
  const options = {cwd: folder, timeout: GIT_TIMEOUT_MS};
  const running = promisify(execFile)(installedProgram('git', system), [...READ_ONLY, ...args], options);
  // Git may end before it has read its input. Without file descriptors there is no pipe.
  running.child.stdin?.on('error', () => {}).end(input);
  return (await running).stdout;
}

async function isInRepository(folder: string): Promise<boolean> {
  if ((await lstat(join(folder, '.git')).catch(() => undefined)) !== undefined) return true;
  return dirname(folder) !== folder && isInRepository(dirname(folder));
}
