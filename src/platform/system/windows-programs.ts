import {existsSync} from 'node:fs';
import {win32} from 'node:path';

interface System {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Returns the path of a program that comes with Windows, such as `reg.exe`: by a name alone, Windows looks in the working directory first. */
export function windowsProgram(name: string, environment: System['environment']): string {
  return win32.join(environment['SystemRoot'] || 'C:\\Windows', 'System32', name);
}

/** Returns how to start a program that the user has installed: by its name, and on Windows by its path, which is looked for in `PATH` only. */
export function installedProgram(name: string, {platform, environment}: System): string {
  if (platform !== 'win32') return name;
  const folders = (environment['PATH'] ?? '').split(win32.delimiter).filter(win32.isAbsolute);
  const found = folders.map(folder => win32.join(folder, `${name}.exe`)).find(existsSync);
  if (found === undefined) throw new Error(`there is no program "${name}"`);
  return found;
}
