// Bundles the command line of a built service into three files: what starts, and the programs of which it loads one with its compiled code.
import {createHash} from 'node:crypto';
import {chmodSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {join, relative} from 'node:path';
import {build} from 'esbuild';
import {keepPackages} from './bundle-packages.js';

/**
 * Dependencies that go into the bundles: each start loads them, and finding a small package in `node_modules` takes longer than running it. The
 * first exists as an ES module only, which Node 20 does not require without a warning.
 */
const INLINED_DEPENDENCIES = ['mrmime', 'picocolors'];

/** Bundles of packages that go into the program: each start of the service loads them, and the cache of compiled code has only one file. */
const INLINED_BUNDLES = ['lmdb', 'pino', 'valibot'];

/** Programs: one runs a service, and one all commands. */
const PROGRAMS = ['service', 'program'];

/** The function that Node makes of a CommonJS module: `main.js` compiles the text of a program as it is. */
const FUNCTION = '(function (exports, require, module, __filename, __dirname) ';

const BUNDLE_URL = "const bundleUrl = require('node:url').pathToFileURL(__filename).href;";

/**
 * Bundles the command line. Node takes half of the time of 500 ES modules to load it, and starts 3 ms sooner with a CommonJS file.
 *
 * @param {string} root Folder of the package.
 * @param {string} built Folder of the service. Of its folder `cli` only the bundles are left.
 */
export async function bundleCommandLine(root, built) {
  const {dependencies} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const folder = join(built, 'cli');
  const bundles = join(built, 'cli-bundles');
  const bundle = (entry, options) =>
    build({
      absWorkingDir: folder,
      entryPoints: [entry],
      outdir: bundles,
      outExtension: {'.js': '.cjs'},
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20.19',
      // Compiled code from a cache cannot import on Node 20: esbuild makes calls of require() of the imports that run later.
      supported: {'dynamic-import': false},
      external: [...Object.keys(dependencies).filter(name => !INLINED_DEPENDENCIES.includes(name)), 'msgpackr-extract'],
      plugins: [keepPackages(folder, INLINED_BUNDLES), keepPlaces(built, folder)],
      logLevel: 'warning',
      ...options,
    });
  const digests = {};
  for (const name of PROGRAMS) {
    await bundle(`${name}.js`, {banner: {js: `${FUNCTION}{${BUNDLE_URL}`}, footer: {js: '})'}});
    const digest = createHash('sha256')
      .update(readFileSync(join(bundles, `${name}.cjs`)))
      .digest('hex');
    digests[`${name.toUpperCase()}_DIGEST`] = JSON.stringify(digest);
  }
  await bundle('main.js', {define: digests, banner: {js: BUNDLE_URL}});
  rmSync(folder, {recursive: true});
  renameSync(bundles, folder);
  // The name that `bin` has, and that units of services have.
  renameSync(join(folder, 'main.cjs'), join(folder, 'main.js'));
  chmodSync(join(folder, 'main.js'), 0o755);
  writeFileSync(join(folder, 'package.json'), '{"type": "commonjs"}\n');
}

/** Creates a plugin by which `import.meta.url` of a bundled module, and `__filename` of a CommonJS one, stay as they were: it finds other files from there. */
function keepPlaces(built, folder) {
  return {
    name: 'keep-places',
    setup(bundler) {
      bundler.onLoad({filter: /\.c?js$/}, ({path}) => {
        if (!path.startsWith(built)) return undefined;
        const place = JSON.stringify(relative(folder, path).replaceAll('\\', '/'));
        const url = `new URL(${place}, bundleUrl)`;
        const [name, value] = path.endsWith('.cjs')
          ? ['__filename', `require('node:url').fileURLToPath(${url})`]
          : ['import.meta.url', `${url}.href`];
        return {contents: readFileSync(path, 'utf8').replaceAll(name, value), loader: 'js'};
      });
    },
  };
}
