import {mkdir, realpath} from 'node:fs/promises';
import {basename, dirname, join} from 'node:path';
import {AppError} from '../../failures/app-error.ts';
import {messageOf} from '../../failures/error-text.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {FileError} from '../../files/read-file.ts';
import {replaceFile, SHARED_FILE_MODE} from '../../files/replace-file.ts';
import {resolvePath} from '../../paths.ts';
import {type Adoption, type FileChange, type ProvidedSdk, planAdoption} from '../../plugins/sources/adopt-project.ts';
import type {OlderSdk} from '../../plugins/sources/older-sdks.ts';
import type {CallOf} from '../catalogue/call.ts';
import {AdvisedError} from '../failures/report.ts';
import {provideOwnPackages} from '../npm/own-packages.ts';
import {formatFiles} from '../output/counts.ts';
import {escapeControls, jsonLine} from '../terminal/escape.ts';
import {findIgnored, findUncommitted} from './uncommitted.ts';

type PluginCall = CallOf<'plugin'>;

/** `crewroom plugin adopt`: writes into the project of a published plugin what it lacks to be installed and run here. */
export async function adopt({context, flags}: PluginCall, name: string): Promise<ExitCode> {
  const {dryRun = false, force = false, json = false} = flags;
  const directory = await realpath(resolvePath(name, context)).catch(error => {
    throw new AppError({code: 'unreadable-input', source: JSON.stringify(name), problem: messageOf(error)});
  });
  const adoption = await plan(directory);
  if (!dryRun && !force) await assertCommitted(directory, adoption);
  if (!dryRun) for (const change of adoption.changes) await write(directory, change, context.randomName());
  const ignored = await findIgnored(
    directory,
    adoption.changes.map(({file}) => file),
  );
  const {stdout, stderr} = context;
  if (json) {
    const changes = adoption.changes.map(({file, lines}) => ({file, lines}));
    await stdout.write(jsonLine({directory, dryRun, changes, ignored, next: adoption.next}));
    return EXIT.ok;
  }
  const lines = adoption.changes.flatMap(({file, lines: changed}) => [file, ...changed.map(line => `  ${line}`)]);
  await stdout.write(lines.map(line => `${escapeControls(line)}\n`).join(''));
  if (ignored.length > 0) await stderr.write(`${escapeControls(describeIgnored(ignored))}\n`);
  if (stderr.isTerminal) await stderr.write(`${escapeControls(describe(adoption, dryRun))}\n`);
  return EXIT.ok;
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
async function assertCommitted(directory: string, {changes}: Adoption): Promise<void> {
  const files = changes.map(({file}) => file);
  const [uncommitted] = files.length === 0 ? [] : await findUncommitted(directory, files);
  if (uncommitted === undefined) return;
  const failure = {
    code: 'unwritable-output',
    target: JSON.stringify(uncommitted.file),
    problem: uncommitted.problem,
  } as const;
  throw new AdvisedError(
    new AppError(failure),
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
    throw new AppError({code: 'unwritable-output', target: JSON.stringify(file), problem: messageOf(error)});
  }
}

function describeIgnored(files: readonly string[]): string {
  const named = files.join(' ');
  return `Git ignores ${named}, which other clones need: "git add --force ${named}", in that folder, adds ${files.length === 1 ? 'it' : 'them'}`;
}

function describe({changes, next}: Adoption, dryRun: boolean): string {
  const what =
    changes.length === 0
      ? 'Nothing has to change'
      : `${dryRun ? 'Would change' : 'Changed'} ${formatFiles(changes.length)}`;
  const steps = next.length === 0 ? '' : `; next, in that folder: ${next.join(' && ')}`;
  return what + steps;
}
