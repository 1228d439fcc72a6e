import {join, resolve} from 'node:path';

/**
 * The module that pages load: the client, which calls the service that it comes from. Their own names, such as those of plugins, are origins of
 * that service too.
 */
const ENTRY = `
import {createClient as create} from './client/index.js';
const {origin} = new URL(import.meta.url);
export * from './client/index.js';
export const createClient = (options = {}) => create({...options, baseUrl: options.baseUrl ?? origin});
`;

/** Bundles the client into one module for pages, `page-client.js`. */
export async function bundlePageClient(built) {
  const {build: bundle} = await import('esbuild');
  await bundle({
    stdin: {contents: ENTRY, resolveDir: built},
    outfile: join(built, 'page-client.js'),
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
    // As "browser" in package.json says, which bundlers do not find for this folder.
    plugins: [
      {
        name: 'page-network',
        setup: ({onResolve}) =>
          onResolve({filter: /\/network\.js$/}, ({path, resolveDir}) => ({
            path: resolve(resolveDir, path.replace(/network\.js$/, 'page-network.js')),
          })),
      },
    ],
  });
}
