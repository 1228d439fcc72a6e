import {spawn} from 'node:child_process';
import {codeOf, messageOf} from '../../core/failures/app-error.ts';
import {windowsProgram} from './windows-programs.ts';

export interface OpenAddressDeps {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Waits for a time, in milliseconds. */
  readonly pause: (ms: number) => Promise<unknown>;
}

/** Time in which a launcher reports that it found no browser, in milliseconds. Some stay until the browser ends. */
const LAUNCH_MS = 1000;

/**
 * Opens an address of this machine in the browser of the user.
 *
 * @param url An address without characters that a shell could interpret, such as `http://localhost:7172/`.
 * @returns The problem if no browser could be started; undefined if one was, as far as is known.
 */
export async function openAddress(
  url: string,
  {platform, environment, pause}: OpenAddressDeps,
): Promise<string | undefined> {
  const launcher = findLauncher(platform, environment);
  if (launcher === undefined) return 'this session has no display';
  const launched = launch([...launcher, new URL(url).href], environment);
  return Promise.race([launched, pause(LAUNCH_MS).then(() => undefined)]);
}

/** Returns the program that opens addresses, with its arguments; undefined if there is no display. */
function findLauncher(
  platform: NodeJS.Platform,
  environment: OpenAddressDeps['environment'],
): readonly string[] | undefined {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return [windowsProgram('rundll32.exe', environment), 'url.dll,FileProtocolHandler'];
  // Windows Subsystem for Linux: the browser is that of Windows. Linux looks in PATH only.
  if (environment['WSL_DISTRO_NAME'] !== undefined) return ['rundll32.exe', 'url.dll,FileProtocolHandler'];
  // Without a display it would start a browser for terminals.
  const hasDisplay = [environment['DISPLAY'], environment['WAYLAND_DISPLAY']].some(name => (name ?? '') !== '');
  return hasDisplay ? ['xdg-open'] : undefined;
}

/** Runs a launcher, which may outlive this process. Resolves with its problem, if any, when it has ended. */
function launch(
  [program = '', ...args]: readonly string[],
  env: OpenAddressDeps['environment'],
): Promise<string | undefined> {
  return new Promise(resolve => {
    const child = spawn(program, args, {stdio: 'ignore', detached: true, env});
    child.once('error', error =>
      resolve(codeOf(error) === 'ENOENT' ? `there is no program "${program}"` : messageOf(error)),
    );
    child.once('exit', exitCode => resolve(exitCode === 0 ? undefined : `${program} found none`));
    child.unref();
  });
}
