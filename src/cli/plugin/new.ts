import {mkdir, readdir, readFile, writeFile} from 'node:fs/promises';
import {basename, dirname, join, relative} from 'node:path';
import {fileURLToPath} from 'node:url';
import {findFileNameProblem} from '../../core/domain/plugins/file-name.ts';
import {isPluginId, PLUGIN_ID_FORM} from '../../core/domain/plugins/plugin-id.ts';
import {AppError, codeOf, messageOf, unwritableOutput} from '../../core/failures/app-error.ts';
import {formatLine} from '../../core/failures/copied-line.ts';
import {replaceFile, SHARED_FILE_MODE} from '../../core/files/directory.ts';
import {resolvePath} from '../../platform/paths.ts';
import {readManifestFile} from '../../plugins/directory/found-plugin.ts';
import {formatSettingTypes} from '../../plugins/manifest/setting-types.ts';
import type {CallOf} from '../catalogue/commands.ts';
import {existing, invalidUsage, refusedUsage} from '../failures/report.ts';
import {provideOwnPackages} from '../npm/own-packages.ts';
import {formatFiles} from '../output/counts.ts';
import {type CommandOutcome, made} from '../terminal/outcome.ts';
import {assertFileName} from '../transfer/export-file.ts';

type PluginCall = CallOf<'plugin'>;

/** `crewroom plugin new`: creates the folder of a plugin, with a page, a background and tests. */
export async function create({context, flags}: PluginCall, given: string): Promise<CommandOutcome> {
  const folder = resolvePath(given, context);
  const name = readName(basename(folder));
  const id = readId(flags.id ?? `com.example.${name}`);
  await assertEmpty(folder, given);
  const names = {'com.example.new-plugin': id, 'new-plugin': name, 'New plugin': titleOf(name)};
  const files = await copyTemplate(folder, names).catch(error => {
    throw unwritableOutput(given, messageOf(error));
  });
  const place = relative(context.workingDirectory, folder) || '.';
  const enter = formatLine(['cd', place], context.platform) ?? '(in that folder)';
  const steps = [enter, 'npm install', 'npm run dev'].map(step => `  ${step}`);
  const lines = [`Created ${id}: ${formatFiles(files.length)} in ${folder}`, ...steps];
  return made({id, directory: folder, writtenFiles: files}, lines);
}

/** Longest name, in characters: that of an npm package may have 214. */
const NAME_LENGTH_MAX = 100;

/** Names that npm refuses. */
const RESERVED_NAMES: readonly string[] = ['node_modules', 'favicon.ico'];

/** Checks the name of the folder, which becomes that of the npm package. */
function readName(name: string): string {
  if (!/^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/.test(name) || name.length > NAME_LENGTH_MAX) {
    const form = `1 to ${NAME_LENGTH_MAX} lower-case letters, digits, dots, dashes and underscores, such as my-plugin`;
    throw invalidUsage('plugin', `the name of the folder has to be ${form}, not ${JSON.stringify(name)}`);
  }
  if (RESERVED_NAMES.includes(name) || findFileNameProblem(name) !== undefined)
    throw refusedUsage(
      'plugin',
      `the name of the folder cannot be ${JSON.stringify(name)}, which npm or Windows reserves`,
      'Choose another name',
    );
  return name;
}

function readId(id: string): string {
  if (!isPluginId(id)) throw invalidUsage('plugin', `--id is ${JSON.stringify(id)} and has to be ${PLUGIN_ID_FORM}`);
  return id;
}

/** Returns the name for people, such as `My plugin`. */
function titleOf(name: string): string {
  const words = name.replace(/[._-]+/g, ' ').trim();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** Entries of a folder that count as none: the folder may be a new repository. */
const IGNORED: readonly string[] = ['.git'];

async function assertEmpty(folder: string, given: string): Promise<void> {
  const entries = await readdir(folder).catch(error => {
    if (codeOf(error) === 'ENOENT') return [];
    throw unwritableOutput(given, codeOf(error) === 'ENOTDIR' ? 'it is not a folder' : messageOf(error));
  });
  const found = entries.find(entry => !IGNORED.includes(entry));
  if (found === undefined) return;
  throw existing(
    JSON.stringify(given),
    'Choose another name, or an empty folder; nothing was written',
    `the folder is not empty: it has ${JSON.stringify(found)}`,
  );
}

/** The folder that `crewroom plugin new` copies: a plugin that works, with its own names. */
const TEMPLATE = fileURLToPath(new URL('../../../templates/plugin', import.meta.url));

/** Names of the template. They are replaced in one pass: a name of the copy may contain one of them, such as `my-new-plugin`. */
const OWN_NAMES = /com\.example\.new-plugin|new-plugin|New plugin/g;

/** Packages of ours, in the `package.json` of the template. */
const OWN_PACKAGES = /"(crewroom(?:-[a-z-]+)?)": "0\.0\.0"/g;

/** Only this user may write to a plugin, whatever the umask is: others are refused. */
const FOLDER_MODE = 0o755;
const FILE_MODE = 0o644;

/**
 * Copies the template into a folder, which may exist, with the packages of ours that npm does not have. Overwrites nothing.
 *
 * @param names Those of the copy, by those of the template.
 * @returns The paths of the files in the folder, with slashes, in order.
 */
async function copyTemplate(folder: string, names: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const own = await provideOwnPackages(await readOwnPackages());
  const specifiers = new Map(own.map(({name, specifier}) => [name, specifier]));
  const replace = (text: string): string =>
    text
      .replace(OWN_NAMES, own => names[own] ?? own)
      .replace(OWN_PACKAGES, (_, name: string) => `"${name}": "${specifiers.get(name)}"`);
  const files = own.flatMap(({file}) => file ?? []);
  const entries = await readdir(TEMPLATE, {recursive: true, withFileTypes: true});
  for (const entry of entries.filter(each => each.isFile())) {
    const source = join(entry.parentPath, entry.name);
    const bytes = await readFile(source);
    const path = targetOf(source.slice(TEMPLATE.length + 1));
    files.push({path, bytes: path.endsWith('.png') ? bytes : Buffer.from(replace(bytes.toString()))});
  }
  for (const {path, bytes} of files) {
    await mkdir(dirname(join(folder, path)), {recursive: true, mode: FOLDER_MODE});
    await writeFile(join(folder, path), bytes, {flag: 'wx', mode: FILE_MODE});
  }
  return files.map(({path}) => path).sort();
}

/** Returns the names of the packages of ours that the template needs. */
async function readOwnPackages(): Promise<readonly string[]> {
  const text = await readFile(join(TEMPLATE, 'package.json'), 'utf8');
  return Array.from(text.matchAll(OWN_PACKAGES), ([, name = '']) => name);
}

/** Returns the path of a file in the copy, with slashes: npm leaves `.gitignore` out of packages. */
function targetOf(path: string): string {
  return path === 'gitignore' ? '.gitignore' : path.replaceAll('\\', '/');
}

/** `crewroom plugin types`: writes the types of the settings in a manifest. Nothing is written if the manifest has a problem. */
export async function writeTypes({context, flags: {output}}: PluginCall, folder: string): Promise<CommandOutcome> {
  const {randomName} = context;
  const reading = await readManifestFile({directory: resolvePath(folder, context), inDevelopment: true});
  if ('problems' in reading) throw new AppError({code: 'invalid-plugin', plugin: folder, problems: reading.problems});
  const {id} = reading.manifest;
  const types = formatSettingTypes(reading.manifest);
  if (output !== undefined) {
    const file = resolvePath(output, context);
    assertFileName({name: output, path: file, platform: context.platform});
    await writeChanged(file, types, randomName()).catch(error => {
      throw unwritableOutput(output, messageOf(error));
    });
    return {json: {id, file}};
  }
  return {json: {id, types}, text: types};
}

/** Replaces a file, unless it has this text already: a program that follows it would build again. */
async function writeChanged(path: string, text: string, suffix: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(() => undefined)) === text) return;
  await replaceFile(path, file => file.writeFile(text), {mode: SHARED_FILE_MODE, temporary: `${path}.${suffix}`});
}
