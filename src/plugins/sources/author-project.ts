import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {formatLine} from '../../core/failures/copied-line.ts';
import {readTextFile} from '../../core/files/text-file.ts';
import {type AuthorPackage, PACKAGE_FILE, readAuthorPackage} from '../directory/plugin-halves.ts';

/** A folder of a plugin that has a `package.json` of its own. */
export interface AuthorProject extends AuthorPackage {
  /** Path in the folder of the plugin; empty for that folder. */
  readonly folder: string;
  readonly manager: PackageManager;
  /** True if its packages were installed. */
  readonly isInstalled: boolean;
}

type PackageManager = 'npm' | 'pnpm' | 'yarn';

/** Folders that have a `package.json` in published plugins. */
const PROJECT_FOLDERS = ['', 'ui', 'background'] as const;

/** Files by which a package manager is known: what npm writes when it has installed packages, or lock files. Without any it is npm. */
const MANAGER_FILES: readonly (readonly [file: string, manager: PackageManager])[] = [
  ['node_modules/.package-lock.json', 'npm'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
];

/** Reads the projects in the folder of a plugin; empty if it has none. */
export async function readProjects(directory: string): Promise<readonly AuthorProject[]> {
  const projects = await Promise.all(PROJECT_FOLDERS.map(folder => readProject(directory, folder)));
  return projects.flatMap(project => project ?? []);
}

async function readProject(directory: string, folder: string): Promise<AuthorProject | undefined> {
  const root = join(directory, folder);
  if (!existsSync(join(root, PACKAGE_FILE))) return undefined;
  const [, manager = 'npm'] = MANAGER_FILES.find(([file]) => existsSync(join(root, file))) ?? [];
  const isInstalled = existsSync(join(root, 'node_modules', '.bin'));
  return {...(await readAuthorPackage(root)), folder, manager, isInstalled};
}

/** An SDK that is no longer on the registry. */
export interface OlderSdk {
  readonly name: string;
  /** The package in its place, and the folder that has it. */
  readonly standIn: string;
  readonly folder: string;
  /** Names in the folder that belong to the package. */
  readonly parts: readonly string[];
}

/** SDKs that published plugins need. */
export const OLDER_SDKS: readonly OlderSdk[] = [
  {
    name: '@tfdidesign/smartcars3-ui-sdk',
    standIn: 'crewroom-ui-sdk',
    folder: 'ui-sdk',
    parts: ['package.json', 'dist', 'css'],
  },
  {
    name: '@tfdidesign/smartcars3-background-sdk',
    standIn: 'crewroom-background-sdk',
    folder: 'background-sdk',
    parts: ['package.json', 'dist'],
  },
];

/** Returns whether a project needs an SDK that is no longer on the registry. */
export function needsOlderSdk({dependencies}: AuthorProject): boolean {
  return OLDER_SDKS.some(({name}) => Object.hasOwn(dependencies, name) && !isAlias(dependencies[name]));
}

/** Returns whether a version names another place than the registry, or another package. */
export function isAlias(version: unknown): boolean {
  return typeof version === 'string' && version.includes(':');
}

/** Arguments with which package managers work in another folder. */
const FOLDER_FLAGS = {npm: '--prefix', pnpm: '--dir', yarn: '--cwd'} as const satisfies Record<PackageManager, string>;

/**
 * Returns the command that runs a script of a project.
 *
 * @param from Folder of the plugin, as seen from where the command is run; empty for that folder.
 * @returns Undefined if no line passes on the path as it is.
 */
export function scriptCommand(project: AuthorProject, script: string, from = ''): string | undefined {
  return managerCommand(project, ['run', script], from);
}

/** Returns the command that installs the packages of a project. */
export function installCommand(project: AuthorProject, from = ''): string | undefined {
  return managerCommand(project, ['install'], from);
}

function managerCommand({manager, folder}: AuthorProject, args: readonly string[], from: string): string | undefined {
  const place = join(from, folder);
  const flags = place === '.' ? [] : [FOLDER_FLAGS[manager], place];
  return formatLine([manager, ...flags, ...args], process.platform);
}

/** Scripts that start dev servers, the most usual first. */
const DEV_SCRIPTS = ['dev', 'start', 'serve'] as const;

/**
 * Finds the script that starts the dev server of a project, and the address at which its page is expected, such as `http://localhost:5173`:
 * it follows from the script, the settings of Vite, or the default of the program.
 */
export async function findDevServer(directory: string, project: AuthorProject) {
  for (const script of DEV_SCRIPTS) {
    const line = project.scripts[script];
    if (typeof line !== 'string' || line.includes('crewroom ')) continue;
    return {script, url: `http://localhost:${await findPort(line, join(directory, project.folder))}`};
  }
  return undefined;
}

/** Default ports of dev servers, by the name of their program. */
const DEFAULT_PORTS: readonly (readonly [program: RegExp, port: string])[] = [
  [/\breact-scripts\b/, '3000'],
  [/\bwebpack\b/, '8080'],
];

/** Default port of Vite, which most pages are built with. */
const VITE_PORT = '5173';

/** Largest file of settings that is read, in bytes. */
const SETTINGS_BYTES_MAX = 64 * 1024;

async function findPort(script: string, root: string): Promise<string> {
  const [, named] = /(?:--port[ =]|\bPORT=)(\d{2,5})\b/.exec(script) ?? [];
  if (named !== undefined) return named;
  const program = DEFAULT_PORTS.find(([name]) => name.test(script));
  if (program !== undefined) return program[1];
  for (const extension of ['ts', 'mts', 'js', 'mjs']) {
    const text = await readTextFile(join(root, `vite.config.${extension}`), SETTINGS_BYTES_MAX).catch(() => undefined);
    const [, port] = /\bport\s{0,9}:\s{0,9}(\d{2,5})\b/.exec(text?.toString() ?? '') ?? [];
    if (port !== undefined) return port;
  }
  return VITE_PORT;
}
