import {mkdtemp, rm, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {isFailure} from '../../core/failures/app-error.ts';
import {INSTALLED_HALVES} from '../directory/plugin-halves.ts';
import {checkPlugin, describeManifest, type PluginCheck} from './check-plugin.ts';
import {openPackage, unpack} from './plugin-package.ts';

export interface CheckDeps {
  /** Directory in which an archive is unpacked while it is checked. */
  readonly temporaryDirectory: string;
  readonly signal: AbortSignal;
}

/**
 * Checks a plugin: a folder, or an archive, which is not installed.
 *
 * @param source Its name in failures.
 * @throws {AppError} `unreadable-input` if there is no such file or folder.
 */
export async function checkPackage(
  path: string,
  source: string,
  {temporaryDirectory, signal}: CheckDeps,
): Promise<PluginCheck> {
  const status = await stat(path).catch(() => undefined);
  if (status?.isFile() !== true) return checkPlugin(path, source);
  try {
    await using opened = await openPackage(path, source);
    const directory = await mkdtemp(join(temporaryDirectory, 'crewroom-check-'));
    try {
      const folder = join(directory, opened.manifest.id);
      await unpack(opened.files, folder, signal);
      return await checkPlugin(folder, source, INSTALLED_HALVES);
    } finally {
      await rm(directory, {recursive: true, force: true});
    }
  } catch (error) {
    return toCheck(error);
  }
}

/** Returns the result for an archive that is refused. @throws Other errors, unchanged. */
function toCheck(error: unknown): PluginCheck {
  const nothing = {
    manifest: undefined,
    halves: INSTALLED_HALVES,
    hasBackground: false,
    hasPage: false,
    size: undefined,
  };
  if (isFailure(error, 'invalid-plugin')) return {...nothing, findings: error.failure.problems.map(describeManifest)};
  if (!isFailure(error, 'invalid-package')) throw error;
  return {...nothing, findings: [{level: 'problem', problem: `cannot be installed: ${error.failure.problem}`}]};
}
