import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {OLDER_SDKS} from '../../plugins/sources/older-sdks.ts';
import {IS_PUBLISHED, VERSION} from '../../version.ts';
import {packNpmPackage} from './pack-package.ts';

/** The folder of this package, in which those of the SDKs are as well. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The folder of packed packages in the project of a plugin. */
const PACKED_FOLDER = 'vendor';

/** A package of ours that the project of a plugin names. */
export interface OwnPackage {
  readonly name: string;
  /** The version to name in `package.json`: a range such as `^0.1.0`, or the place of the packed file, such as `file:vendor/crewroom-0.1.0.tgz`. */
  readonly specifier: string;
  /** The file to write into the project, with its path there; undefined if npm has the package. */
  readonly file?: {readonly path: string; readonly bytes: Uint8Array};
}

/**
 * Says how a project of a plugin gets packages of ours: from npm if this package came from there, otherwise as packed files that the project
 * keeps, so that its `npm install` works with a Crewroom from a clone or a folder as well.
 *
 * @param names Such as `crewroom` and `crewroom-ui-sdk`.
 * @throws {Error} If a file of a package cannot be read.
 */
export function provideOwnPackages(names: readonly string[]): Promise<readonly OwnPackage[]> {
  return Promise.all(
    names.map(async (name): Promise<OwnPackage> => {
      if (IS_PUBLISHED) return {name, specifier: `^${VERSION}`};
      const {fileName, bytes} = await packNpmPackage(folderOf(name));
      const path = `${PACKED_FOLDER}/${fileName}`;
      return {name, specifier: `file:${path}`, file: {path, bytes}};
    }),
  );
}

function folderOf(name: string): string {
  const sdk = OLDER_SDKS.find(({standIn}) => standIn === name);
  return sdk === undefined ? ROOT : join(ROOT, 'packages', sdk.folder);
}
