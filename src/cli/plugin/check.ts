import {realpath} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {formatBytes} from '../../core/domain/byte-size.ts';
import type {PluginManifest} from '../../core/domain/plugins/plugin.ts';
import {AppError, isFailure, messageOf, unwritableOutput} from '../../core/failures/app-error.ts';
import {EXIT} from '../../core/failures/exit-codes.ts';
import {resolvePath} from '../../platform/paths.ts';
import {describeHalves, type PluginHalves} from '../../plugins/directory/plugin-halves.ts';
import type {PluginFinding} from '../../plugins/package/check/finding.ts';
import {checkPackage} from '../../plugins/package/check-package.ts';
import {checkPlugin, type PluginCheck} from '../../plugins/package/check-plugin.ts';
import {type PackedPlugin, packPlugin} from '../../plugins/package/pack-plugin.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {AdvisedError} from '../failures/report.ts';
import {formatFiles} from '../output/counts.ts';
import {escapeControls, type Style, styleOf} from '../terminal/context.ts';
import {InterruptedError, untilInterrupted} from '../terminal/interruptible.ts';
import type {CommandOutcome} from '../terminal/outcome.ts';
import {assertFileName} from '../transfer/export-file.ts';

/** `crewroom plugin check`: lists all problems of a plugin, in a folder or a ZIP. */
export async function check({context}: CallOf<'plugin'>, name: string): Promise<CommandOutcome> {
  const path = resolvePath(name, context);
  const temporaryDirectory = tmpdir();
  const checked = await untilInterrupted(context, signal =>
    withAdvice(
      checkPackage(path, JSON.stringify(name), {temporaryDirectory, signal}),
      'Give the path of the folder that contains plugin.json, or of its ZIP',
    ),
  );
  const text = formatCheck(checked, name, styleOf(context.stdout, context));
  return {json: describeCheck(checked), text, exitCode: hasProblem(checked) ? EXIT.findings : EXIT.ok};
}

/** Returns whether a problem was found. Warnings do not count. */
function hasProblem({findings}: PluginCheck): boolean {
  return findings.some(({level}) => level === 'problem');
}

function describeCheck({manifest, halves, hasBackground, hasPage, size, findings}: PluginCheck): object {
  const {id, version} = manifest ?? {};
  return {
    id,
    version,
    hasBackground,
    hasPage,
    ...placesOf(halves),
    files: size?.files,
    sizeBytes: size?.bytes,
    findings,
  };
}

/** Returns the places of the halves, if they are not those of an installed plugin. */
export function placesOf(halves: PluginHalves): object {
  if (describeHalves(halves).length === 0) return {};
  const {manifest, background, page} = halves;
  return {halves: {manifest, background, page}};
}

/** Formats what was found in a plugin. */
function formatCheck(checked: PluginCheck, name: string, style: Style): string {
  const {findings} = checked;
  const lines = [
    ...describeHead(checked, name).map(escapeControls),
    ...findings.flatMap(finding => formatFinding(finding, style)),
    ...(findings.length === 0 ? [style.green('no problems')] : []),
  ];
  return lines.map(line => `${line}\n`).join('');
}

function describeHead({manifest, halves, hasBackground, hasPage, size}: PluginCheck, name: string): readonly string[] {
  if (manifest === undefined) return [name];
  const parts = [hasBackground ? 'background' : '', hasPage ? 'page' : ''].filter(part => part !== '');
  const places = describeHalves(halves);
  const sizes = size === undefined ? '' : `, ${formatFiles(size.files)}, ${formatBytes(size.bytes)}`;
  const head = `${manifest.id} ${manifest.version}: ${parts.join(' and ') || 'nothing'}${sizes}`;
  return [head, ...(places.length === 0 ? [] : [`found its ${places.join(', ')}`])];
}

function formatFinding({level, file, line, problem, advice}: PluginFinding, style: Style): readonly string[] {
  const place = file === undefined ? 'it' : line === undefined ? file : `${file}:${line}`;
  const label = level === 'problem' ? style.red(level) : style.yellow(level);
  const found = `${label}  ${escapeControls(`${place} ${problem}`)}`;
  return advice === undefined ? [found] : [found, style.dim(`         ${escapeControls(advice)}`)];
}

/** Replaces the advice of `unreadable-input`, which is about values, in a failure of the work. */
export async function withAdvice<T>(work: Promise<T>, advice: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isFailure(error, 'unreadable-input') ? new AdvisedError(error, advice) : error;
  }
}

type PluginCall = CallOf<'plugin'>;

/** `crewroom plugin pack`: checks the folder of a plugin, and writes its package unless there is a problem. */
export async function pack({context, flags}: PluginCall, name: string): Promise<CommandOutcome> {
  const {stderr} = context;
  const folder = resolvePath(name, context);
  const checked = await withAdvice(
    checkPlugin(folder, JSON.stringify(name)),
    'Give the path of the folder that contains plugin.json',
  );
  const {manifest, findings} = checked;
  const isNotable = findings.length > 0 || describeHalves(checked.halves).length > 0;
  if (isNotable && !flags.json) await stderr.write(formatCheck(checked, name, styleOf(stderr, context)));
  if (manifest === undefined || hasProblem(checked))
    return {json: {findings}, note: 'Nothing was packed\n', exitCode: EXIT.findings};
  const file = flags.output ?? archiveNameOf(manifest);
  const archive = resolvePath(file, context);
  const {randomName, platform} = context;
  assertFileName({name: file, path: archive, platform});
  const temporaryDirectory = tmpdir();
  const packed = await untilInterrupted(context, async signal =>
    packPlugin(await realpath(folder), archive, {randomName, temporaryDirectory, signal}),
  ).catch(error => {
    if (error instanceof AppError) throw new AdvisedError(error, ADVICE);
    if (error instanceof InterruptedError) throw error;
    throw unwritableOutput(file, messageOf(error));
  });
  const {id, version} = manifest;
  const json = {id, version, file: archive, ...packed, ...placesOf(checked.halves), findings};
  return {json, text: `${escapeControls(file)}\n`, lines: [describe(manifest, packed)]};
}

const ADVICE = 'Nothing was packed. Modules belong into the bundle, or into background/node_modules';

/** Returns the name that published packages have, such as `com.example.hello-1.1.0.zip`. */
function archiveNameOf({id, version}: PluginManifest): string {
  return `${id}-${version.replace(/[^A-Za-z0-9.+_-]+/g, '-')}.zip`;
}

function describe({id, version}: PluginManifest, {files, sizeBytes, unpackedBytes}: PackedPlugin): string {
  const {background, ui} = unpackedBytes;
  const parts = `background ${formatBytes(background)}, ui ${formatBytes(ui)}`;
  return `Packed ${id} ${version}: ${formatFiles(files)}, ${formatBytes(sizeBytes)} (${parts} unpacked)`;
}
