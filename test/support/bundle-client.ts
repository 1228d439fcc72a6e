import {fileURLToPath} from 'node:url';
import {build, type Metafile} from 'esbuild';

/** A bundle of the client for a page. */
export interface ClientBundle {
  readonly code: Uint8Array;
  /** Its input files, and its remaining imports. */
  readonly metafile: Metafile;
}

/** Bundles everything of a published entry point into one module for browsers, minified. */
export async function bundleClient(entryPoint = 'crewroom/client'): Promise<ClientBundle> {
  const {outputFiles, metafile} = await build({
    stdin: {contents: `export * from '${entryPoint}';`, resolveDir: fileURLToPath(new URL('../..', import.meta.url))},
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    write: false,
    metafile: true,
  });
  return {code: outputFiles[0]?.contents ?? new Uint8Array(), metafile};
}
