import {realpath} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {formatBytes} from '../../domain/byte-size.ts';
import type {PluginManifest} from '../../domain/plugins/plugin-manifest.ts';
import {AppError} from '../../failures/app-error.ts';
import {messageOf} from '../../failures/error-text.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {resolvePath} from '../../paths.ts';
import {describeHalves} from '../../plugins/directory/plugin-halves.ts';
import {checkPlugin} from '../../plugins/package/check-plugin.ts';
import {type PackedPlugin, packPlugin} from '../../plugins/package/pack-plugin.ts';
import type {CallOf} from '../catalogue/call.ts';
import {AdvisedError} from '../failures/report.ts';
import {formatFiles} from '../output/counts.ts';
import {escapeControls, jsonLine} from '../terminal/escape.ts';
import {InterruptedError, untilInterrupted} from '../terminal/interruptible.ts';
import {styleOf} from '../terminal/style.ts';
import {withAdvice} from './advised.ts';
import {formatCheck, hasProblem, placesOf} from './check.ts';

type PluginCall = CallOf<'plugin'>;

/** `crewroom plugin pack`: checks the folder of a plugin, and writes its package unless there is a problem. */
export async function pack({context, flags}: PluginCall, name: string): Promise<ExitCode> {
  const {stdout, stderr} = context;
  const folder = resolvePath(name, context);
  const checked = await withAdvice(
    checkPlugin(folder, JSON.stringify(name)),
    'Give the path of the folder that contains plugin.json',
  );
  const {manifest, findings} = checked;
  const isNotable = findings.length > 0 || describeHalves(checked.halves).length > 0;
  if (isNotable && !flags.json) await stderr.write(formatCheck(checked, name, styleOf(stderr, context)));
  if (manifest === undefined || hasProblem(checked)) {
    if (flags.json) await stdout.write(jsonLine({findings}));
    else await stderr.write('Nothing was packed\n');
    return EXIT.failure;
  }
  const file = flags.output ?? archiveNameOf(manifest);
  const archive = resolvePath(file, context);
  const {randomName} = context;
  const temporaryDirectory = tmpdir();
  const packed = await untilInterrupted(context, async signal =>
    packPlugin(await realpath(folder), archive, {randomName, temporaryDirectory, signal}),
  ).catch(error => {
    if (error instanceof AppError) throw new AdvisedError(error, ADVICE);
    if (error instanceof InterruptedError) throw error;
    throw new AppError({code: 'unwritable-output', target: JSON.stringify(file), problem: messageOf(error)});
  });
  const {id, version} = manifest;
  if (flags.json)
    await stdout.write(jsonLine({id, version, file: archive, ...packed, ...placesOf(checked.halves), findings}));
  else await stdout.write(`${escapeControls(file)}\n`);
  if (!flags.json && stderr.isTerminal) await stderr.write(`${escapeControls(describe(manifest, packed))}\n`);
  return EXIT.ok;
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
