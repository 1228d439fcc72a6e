import module from 'node:module';
import {platformPaths} from '../paths.ts';

/** What the types leave out: they are those of the oldest Node that is supported, and it is there since Node 22.8. */
interface CompilingModule {
  readonly enableCompileCache?: (directory: string) => unknown;
}

/**
 * Has Node keep the compiled code of all modules that are imported after this, for the next start. In a directory of the user, and
 * not in the one for everybody that Node would choose: what is in it is run. Where nothing can be written, nothing is kept.
 */
export function enableCompileCache(): void {
  (module as CompilingModule).enableCompileCache?.(platformPaths().cacheDir);
}
