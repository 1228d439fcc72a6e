// Finds programs of the system that a script will start, before it does anything.
import {accessSync, constants} from 'node:fs';
import {delimiter, join} from 'node:path';

/**
 * Describes the programs that are not installed.
 *
 * @param {Readonly<Record<string, string>>} programs Programs, with their packages in Debian.
 * @returns {string | undefined} Their names, and how to install them; undefined if all are there.
 */
export function describeMissing(programs) {
  const missing = Object.keys(programs).filter(program => !isInstalled(program));
  if (missing.length === 0) return undefined;
  const packages = [...new Set(missing.map(program => programs[program]))].join(' ');
  return `there is no ${missing.join(', ')}; on Debian: apt-get install ${packages}`;
}

function isInstalled(program) {
  return (process.env.PATH ?? '').split(delimiter).some(folder => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
