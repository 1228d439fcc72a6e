import {tmpdir} from 'node:os';
import {formatBytes} from '../../domain/byte-size.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {resolvePath} from '../../paths.ts';
import {describeHalves, type PluginHalves} from '../../plugins/directory/plugin-halves.ts';
import type {PluginFinding} from '../../plugins/package/check/finding.ts';
import {checkPackage} from '../../plugins/package/check-package.ts';
import type {PluginCheck} from '../../plugins/package/check-plugin.ts';
import type {CallOf} from '../catalogue/call.ts';
import {formatFiles} from '../output/counts.ts';
import {escapeControls, jsonLine} from '../terminal/escape.ts';
import {untilInterrupted} from '../terminal/interruptible.ts';
import {type Style, styleOf} from '../terminal/style.ts';
import {withAdvice} from './advised.ts';

/** `crewroom plugin check`: lists all problems of a plugin, in a folder or a ZIP. */
export async function check({context, flags}: CallOf<'plugin'>, name: string): Promise<ExitCode> {
  const {stdout} = context;
  const path = resolvePath(name, context);
  const temporaryDirectory = tmpdir();
  const checked = await untilInterrupted(context, signal =>
    withAdvice(
      checkPackage(path, JSON.stringify(name), {temporaryDirectory, signal}),
      'Give the path of the folder that contains plugin.json, or of its ZIP',
    ),
  );
  if (flags.json) await stdout.write(jsonLine(describeCheck(checked)));
  else await stdout.write(formatCheck(checked, name, styleOf(stdout, context)));
  return hasProblem(checked) ? EXIT.failure : EXIT.ok;
}

/** Returns whether a problem was found. Warnings do not count. */
export function hasProblem({findings}: PluginCheck): boolean {
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
export function formatCheck(checked: PluginCheck, name: string, style: Style): string {
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
