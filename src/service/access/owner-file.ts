import {join} from 'node:path';
import {isTokenText} from '../../core/domain/access/token-text.ts';
import {type OwnDocument, ownDocument} from './own-document.ts';

/** Name of the file with the token of the owner, in a data directory. */
const OWNER_FILE = 'owner-token';

/** Place of the file of a service. */
export interface OwnerPlace {
  /** Data directory; undefined for a service in memory. */
  readonly dataDir: string | undefined;
  /** Directories for files of running programs of this user, the best first. */
  readonly runtimeDirs: readonly string[];
  /** Used only without a data directory. */
  readonly port: number | undefined;
}

/**
 * Returns the paths where the file may be: in the data directory, or by the port of a service without one. It is at the first path where it
 * can be written.
 */
export function ownerFilesOf({dataDir, runtimeDirs, port}: OwnerPlace): readonly string[] {
  if (dataDir !== undefined) return [join(dataDir, OWNER_FILE)];
  return runtimeDirs.map(directory => join(directory, `${OWNER_FILE}-${port}`));
}

/** Returns the document with the token of the owner. It has none if another user could have written it. */
export function ownerFile(path: string): OwnDocument<string> {
  return ownDocument(path, {
    // One token.
    bytesMax: 256,
    parse: bytes => {
      const token = bytes.toString().trim();
      if (!isTokenText(token)) throw new Error('it is not a token');
      return token;
    },
    format: token => `${token}\n`,
    // A data directory may be a link.
    followsLink: path.endsWith(OWNER_FILE),
    isDurable: false,
  });
}
