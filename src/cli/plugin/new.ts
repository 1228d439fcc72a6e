import {readdir} from 'node:fs/promises';
import {basename, relative} from 'node:path';
import {isPluginId} from '../../domain/plugins/plugin-id.ts';
import {AppError} from '../../failures/app-error.ts';
import {codeOf, messageOf} from '../../failures/error-text.ts';
import {EXIT, type ExitCode} from '../../failures/exit-codes.ts';
import {resolvePath} from '../../paths.ts';
import type {CallOf} from '../catalogue/call.ts';
import {AdvisedError} from '../failures/report.ts';
import {invalidUsage, refusedUsage} from '../failures/usage.ts';
import {formatFiles} from '../output/counts.ts';
import {escapeControls, jsonLine} from '../terminal/escape.ts';
import {copyTemplate} from './template.ts';

type PluginCall = CallOf<'plugin'>;

/** `crewroom plugin new`: creates the folder of a plugin, with a page, a background and tests. */
export async function create({context, flags}: PluginCall, given: string): Promise<ExitCode> {
  const folder = resolvePath(given, context);
  const name = readName(basename(folder));
  const id = readId(flags.id ?? `com.example.${name}`);
  await assertEmpty(folder, given);
  const files = await copyTemplate(folder, {name, id, title: titleOf(name)}).catch(error => {
    throw unwritable(given, messageOf(error));
  });
  const {stdout, stderr} = context;
  if (flags.json) await stdout.write(jsonLine({id, directory: folder, files}));
  else if (stderr.isTerminal) {
    const steps = [`cd ${relative(context.workingDirectory, folder) || '.'}`, 'npm install', 'npm run dev'];
    const lines = [`Created ${id}: ${formatFiles(files.length)} in ${folder}`, ...steps.map(step => `  ${step}`)];
    await stderr.write(lines.map(line => `${escapeControls(line)}\n`).join(''));
  }
  return EXIT.ok;
}

/** Longest name, in characters: that of an npm package may have 214. */
const NAME_LENGTH_MAX = 100;

/** Names that npm refuses, and names of devices, which Windows allows for no folder, with any extension. */
const RESERVED_NAMES = /^(?:node_modules|favicon\.ico|(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?)$/;

/** Checks the name of the folder, which becomes that of the npm package. */
function readName(name: string): string {
  if (RESERVED_NAMES.test(name))
    throw refusedUsage(
      'plugin',
      `the name of the folder cannot be ${JSON.stringify(name)}, which npm or Windows reserves`,
      'Choose another name',
    );
  if (/^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/.test(name) && name.length <= NAME_LENGTH_MAX) return name;
  const form = `1 to ${NAME_LENGTH_MAX} lower-case letters, digits, dots, dashes and underscores, such as my-plugin`;
  throw invalidUsage('plugin', `the name of the folder has to be ${form}, not ${JSON.stringify(name)}`);
}

/** Published plugins have a domain in front of their name, so that no two have one id. */
const HAS_DOMAIN = /^[^.]+\.[^.]/;

function readId(id: string): string {
  if (!isPluginId(id) || !HAS_DOMAIN.test(id))
    throw invalidUsage(
      'plugin',
      `--id has to be a domain of yours from its end on and a name, such as com.example.my-plugin, not ${JSON.stringify(id)}`,
    );
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
    throw unwritable(given, codeOf(error) === 'ENOTDIR' ? 'it is not a folder' : messageOf(error));
  });
  const found = entries.find(entry => !IGNORED.includes(entry));
  if (found === undefined) return;
  const error = unwritable(given, `the folder is not empty: it has ${JSON.stringify(found)}`);
  throw new AdvisedError(error, 'Choose another name, or an empty folder; nothing was written');
}

function unwritable(target: string, problem: string): AppError {
  return new AppError({code: 'unwritable-output', target: JSON.stringify(target), problem});
}
