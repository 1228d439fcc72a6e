import {join} from 'node:path';
import {readTextFile} from '../../files/text-file.ts';
import {type JsonMembers, membersOf} from '../../json/members.ts';

/** Name of the file that describes a project. */
export const PACKAGE_FILE = 'package.json';

/** Largest `package.json` that is read, in bytes. */
export const PROJECT_BYTES_MAX = 1024 * 1024;

/** Content of the `package.json` of a plugin; empty members without one, or if it cannot be read. */
export interface AuthorPackage {
  /** Undefined without one. */
  readonly version: string | undefined;
  readonly scripts: Readonly<Record<string, unknown>>;
  /** The packages that it needs, to run or to be built. */
  readonly dependencies: Readonly<Record<string, unknown>>;
}

/** Reads the `package.json` in the folder of a plugin. Does not throw: most plugins have none. */
export async function readAuthorPackage(directory: string): Promise<AuthorPackage> {
  const {version, scripts, dependencies, devDependencies} = await readMembers(directory);
  return {
    version: typeof version === 'string' ? version : undefined,
    scripts: membersOf(scripts),
    dependencies: {...membersOf(dependencies), ...membersOf(devDependencies)},
  };
}

async function readMembers(directory: string): Promise<JsonMembers> {
  try {
    return membersOf(JSON.parse((await readTextFile(join(directory, PACKAGE_FILE), PROJECT_BYTES_MAX)).toString()));
  } catch {
    return {};
  }
}
