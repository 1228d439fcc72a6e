import {readdir, rm} from 'node:fs/promises';
import {join} from 'node:path';
import * as v from 'valibot';
import type {Log} from '../../core/domain/log.ts';
import {findTakenAddress} from '../../platform/system/port-holder.ts';
import {isRunning} from '../../platform/system/running-process.ts';
import {type OwnDocument, ownDocument} from './own-document.ts';

/** Form of the file: real path of the folder, id of its plugin at the start, address, and data directory unless the store is in memory. */
const DEVELOPMENT = v.object({
  directory: v.string(),
  plugin: v.optional(v.string()),
  host: v.string(),
  port: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535)),
  dataDir: v.optional(v.string()),
});

/** A service that `crewroom dev` runs. */
export type Development = Readonly<v.InferOutput<typeof DEVELOPMENT>>;

/** Returns the document of a process. It has none if another user could have written it. */
function developmentFile(directory: string, name: string): OwnDocument<Development> {
  return ownDocument(join(directory, name), {
    // Two paths of Linux, escaped.
    bytesMax: 64 * 1024,
    parse: bytes => v.parse(DEVELOPMENT, JSON.parse(bytes.toString())),
    format: JSON.stringify,
    followsLink: false,
    isDurable: false,
  });
}

export interface KeepDevelopmentDeps {
  /** Directories for files of running programs of this user, the best first. */
  readonly runtimeDirs: readonly string[];
  readonly processId: number;
  readonly randomName: () => string;
  readonly log: Log;
}

/** Writes which folder a service develops, until it is disposed of. Never fails: it logs that. */
export async function keepDevelopment(development: Development, deps: KeepDevelopmentDeps): Promise<AsyncDisposable> {
  const {runtimeDirs, processId, randomName, log} = deps;
  let problem: unknown;
  for (const directory of runtimeDirs) {
    const file = developmentFile(directory, `development-${processId}`);
    try {
      await file.replace(development, () => Buffer.from(randomName(), 'hex'));
      return {[Symbol.asyncDispose]: () => remove(file)};
    } catch (error) {
      problem ??= error;
    }
  }
  log.error('commands in the folder of the plugin need --port, since its service is in no file', {error: problem});
  return {[Symbol.asyncDispose]: async () => {}};
}

/** Lists the services that run `crewroom dev` for this user in other processes than one. Removes the files of those that have ended. */
export async function listDevelopments(
  runtimeDirs: readonly string[],
  except?: number,
): Promise<readonly Development[]> {
  const found: Development[] = [];
  for (const directory of runtimeDirs)
    for (const name of await readdir(directory).catch(() => [])) {
      const [, processId] = /^development-([1-9]\d*)$/.exec(name) ?? [];
      const file = developmentFile(directory, name);
      const isOther = processId !== undefined && Number(processId) !== except;
      const development = isOther ? await file.read() : undefined;
      if (development === undefined) continue;
      if (!isRunning(Number(processId))) await remove(file);
      // Another process may have the id of one that has ended, and in a container no port of others is taken.
      else if ((await findTakenAddress(development)) !== undefined) found.push(development);
    }
  return found;
}

function remove({path}: OwnDocument<Development>): Promise<void> {
  return rm(path, {force: true}).catch(() => {});
}
