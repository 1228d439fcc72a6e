import {readFile} from 'node:fs/promises';
import {AppError} from '../../failures/app-error.ts';
import {messageOf} from '../../failures/error-text.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {replaceFile, SHARED_FILE_MODE} from '../../files/replace-file.ts';
import {resolvePath} from '../../paths.ts';
import {readManifestFile} from '../../plugins/directory/found-plugin.ts';
import {formatSettingTypes} from '../../plugins/manifest/setting-types.ts';
import type {CallOf} from '../catalogue/call.ts';
import {jsonLine} from '../terminal/escape.ts';

type PluginCall = CallOf<'plugin'>;

/** `crewroom plugin types`: writes the types of the settings in a manifest. Nothing is written if the manifest has a problem. */
export async function writeTypes({context, flags}: PluginCall, folder: string): Promise<ExitCode> {
  const {stdout, randomName} = context;
  const reading = await readManifestFile({directory: resolvePath(folder, context), inDevelopment: true});
  if ('problems' in reading) throw new AppError({code: 'invalid-plugin', plugin: folder, problems: reading.problems});
  const types = formatSettingTypes(reading.manifest);
  if (flags.output !== undefined) {
    const file = resolvePath(flags.output, context);
    await writeChanged(file, types, randomName()).catch(error => {
      throw new AppError({code: 'unwritable-output', target: JSON.stringify(flags.output), problem: messageOf(error)});
    });
    if (flags.json) await stdout.write(jsonLine({id: reading.manifest.id, file}));
  } else {
    await stdout.write(flags.json ? jsonLine({id: reading.manifest.id, types}) : types);
  }
  return EXIT.ok;
}

/** Replaces a file, unless it has this text already: a program that follows it would build again. */
async function writeChanged(path: string, text: string, suffix: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => undefined)) === text) return;
  await replaceFile(path, file => file.writeFile(text), {mode: SHARED_FILE_MODE, temporary: `${path}.${suffix}`});
}
