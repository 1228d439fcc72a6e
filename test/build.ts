import {execFileSync} from 'node:child_process';
import {fileURLToPath} from 'node:url';

/** Builds `dist/` once before the tests: some of them run the command line as users do. */
export function setup(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../scripts/build.js', import.meta.url))], {stdio: 'inherit'});
}
