// Bundles packages of the registry into one file each: without sources, types, other builds and dependencies that are never loaded, they
// take a fraction of the space in an installation.
import {copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {basename, dirname, join, posix, relative} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';
import {BUNDLES, HOST_PACKAGES, USED_ONLY} from './bundled-packages.js';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));

/** Folder of the bundles that the service loads. */
const FOLDER = 'bundles';

/**
 * Bundles all packages into a built service, and lets its modules import their bundles.
 *
 * @param {string} built Folder of the service.
 */
export async function bundlePackages(built) {
  for (const name of HOST_PACKAGES) await bundleHostPackage(name, join(built, 'host-packages', name));
  const places = new Map();
  for (const [folder, names] of Object.entries(BUNDLES)) {
    const doors = names.map(name => ({specifier: name, file: posix.basename(name)}));
    // First: when it is loaded, lmdb finds its native part by the name of its package.
    writeManifest(join(built, FOLDER, folder), names[0], {});
    const contents = USED_ONLY.includes(folder) ? formatUsed(built, folder) : formatRegistry(doors);
    await writeBundle(join(built, FOLDER, folder), doors, contents);
    for (const {specifier, file} of doors) places.set(specifier, `${FOLDER}/${folder}/${file}.mjs`);
  }
  redirectImports(built, places);
}

/**
 * Creates a plugin for bundles of the service's own code: they load these packages from their files, as CommonJS, but for those of some
 * folders, which they include.
 */
export function keepPackages(folder, included) {
  return {
    name: 'keep-packages',
    setup(bundler) {
      bundler.onResolve({filter: new RegExp(`/${FOLDER}/[^/]+/[^/]+\\.mjs$`)}, ({path, resolveDir}) => {
        const file = join(resolveDir, path).replace(/\.mjs$/, '.cjs');
        return included.includes(basename(dirname(file)))
          ? {path: file}
          : {path: relative(folder, file).replaceAll('\\', '/'), external: true};
      });
    },
  };
}

/** Writes a package with all its entry points, which a plugin finds by its name. */
async function bundleHostPackage(name, target) {
  const source = join(root, 'node_modules', name);
  const {exports} = readManifest(source);
  // Patterns and files of the inside are no entry points; effect also names one that it does not have.
  const paths = Object.keys(exports).filter(
    path =>
      /^\.(\/\w+)?$/.test(path) &&
      existsSync(join(source, exports[path].default?.require ?? exports[path].default ?? '')),
  );
  const doors = paths.map(path => ({
    specifier: path.replace(/^\./, name),
    file: path === '.' ? 'index' : path.slice('./'.length),
  }));
  const files = doors.map(({file}, index) => [paths[index], {import: `./${file}.mjs`, default: `./${file}.cjs`}]);
  writeManifest(target, name, {exports: {'./package.json': './package.json', ...Object.fromEntries(files)}});
  await writeBundle(target, doors, formatRegistry(doors));
}

/**
 * Bundles entry points into one file, which evaluates a module when it is first used, with a small file for `require` and for `import` of each,
 * and the licences of all packages in it.
 */
async function writeBundle(target, doors, contents) {
  const {metafile} = await build({
    absWorkingDir: root,
    stdin: {contents, resolveDir: root},
    outfile: join(target, 'bundle.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    // Names of functions stay, for the traces of errors.
    minifyWhitespace: true,
    minifySyntax: true,
    // lmdb also prints the errors that it throws, between the lines of the service.
    drop: basename(target) === 'lmdb' ? ['console'] : [],
    // Native and optional, and used for a form of values that the service does not have: do not even look for it.
    external: ['msgpackr-extract'],
    define: {'process.env.MSGPACKR_NATIVE_ACCELERATION_DISABLED': '"true"'},
    plugins: [ESCAPE_OWN_PATHS, WITHOUT_ENCODER],
    logOverride: {'direct-eval': 'silent'},
    logLevel: 'warning',
    metafile: true,
  });
  const bundle = require(join(target, 'bundle.cjs'));
  for (const {specifier, file} of doors) {
    writeFileSync(
      join(target, `${file}.cjs`),
      `module.exports = require('./bundle.cjs')[${JSON.stringify(specifier)}];\n`,
    );
    writeFileSync(join(target, `${file}.mjs`), formatModule(specifier, Object.keys(bundle[specifier])));
  }
  copyLicences(Object.keys(metafile.inputs), target);
}

/** How CommonJS of lmdb, and of other packages that Rollup built, makes a URL of its own path: wrong with `#`, `?` or `%` in it. */
const OWN_URL = "new (require('u' + 'rl').URL)('file:' + __filename).href";

/** Lets these packages work in any folder. */
const ESCAPE_OWN_PATHS = {
  name: 'escape-own-paths',
  setup(bundler) {
    bundler.onLoad({filter: /[/\\]node_modules[/\\]lmdb[/\\]dist[/\\]index\.cjs$/}, ({path}) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes(OWN_URL)) throw new Error(`${path} finds its own path in another way: see OWN_URL`);
      return {contents: text.replaceAll(OWN_URL, "require('url').pathToFileURL(__filename).href"), loader: 'js'};
    });
  },
};

/** Leaves out what lmdb encodes values with: those of the service are bytes. A database that asks for it fails to open. */
const WITHOUT_ENCODER = {
  name: 'without-encoder',
  setup(bundler) {
    bundler.onLoad({filter: /[/\\]node_modules[/\\]msgpackr[/\\].*\.cjs$/}, () => ({
      contents: 'exports.Encoder = undefined;',
      loader: 'js',
    }));
  },
};

/** Formats a module with all entry points, each of which is evaluated when it is first read. */
function formatRegistry(doors) {
  const members = doors.map(({specifier}) => {
    const name = JSON.stringify(specifier);
    return `get ${name}() { return require(${name}); },`;
  });
  return `module.exports = {\n${members.join('\n')}\n};\n`;
}

/** Formats a module with the exports of a package that modules of a built service use, as members of the namespace `v`. */
function formatUsed(built, name) {
  const texts = listModules(built).map(file => readFileSync(file, 'utf8'));
  const users = texts.filter(text => text.includes(`import * as v from '${name}'`));
  const used = [...new Set(users.flatMap(text => Array.from(text.matchAll(/\bv\.(\w+)/g), match => match[1])))].sort();
  return `import {${used.join(', ')}} from '${name}';\nexport const ${name} = {${used.join(', ')}};\n`;
}

/** Formats an ES module with the exports of an entry point: Node finds those of a bundle only as members of its default export. */
function formatModule(specifier, names) {
  const exported = names.filter(name => name !== '__esModule');
  const read = exported.map((name, index) => `const e${index} = door[${JSON.stringify(name)}];`);
  const list = exported.map((name, index) => `e${index} as ${JSON.stringify(name)}`);
  return `import bundle from './bundle.cjs';\nconst door = bundle[${JSON.stringify(specifier)}];\n${read.join('\n')}\nexport {${list.join(', ')}};\n`;
}

/** Copies the licence of each package that has a file in a bundle. */
function copyLicences(inputs, target) {
  const folders = new Set(
    inputs.flatMap(input => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input.replaceAll('\\', '/'))?.[1] ?? []),
  );
  for (const folder of folders) {
    const name = folder.replace(/^.*node_modules\//, '');
    const file = readdirSync(join(root, folder)).find(each => /^licen[cs]e/i.test(each));
    const copy = join(target, `LICENSE-${name.replaceAll('/', '-')}`);
    if (file !== undefined) copyFileSync(join(root, folder, file), copy);
    else writeFileSync(copy, `${readManifest(join(root, folder)).license}\n`);
  }
}

function writeManifest(target, name, more) {
  mkdirSync(target, {recursive: true});
  const {version, license} = readManifest(join(root, 'node_modules', name));
  writeFileSync(join(target, 'package.json'), `${JSON.stringify({name, version, license, ...more})}\n`);
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Lets all modules of a built service import the bundles of packages, by relative paths. */
function redirectImports(built, places) {
  for (const file of listModules(built)) {
    const text = readFileSync(file, 'utf8');
    const redirected = text.replace(
      /^((?:import|export) .*\bfrom |.*\bimport\()'([^'.][^']*)'/gm,
      (found, before, name) => {
        const place = places.get(name);
        if (place === undefined) return found;
        const path = relative(dirname(file), join(built, place)).replaceAll('\\', '/');
        return `${before}'${path.startsWith('.') ? path : `./${path}`}'`;
      },
    );
    if (redirected !== text) writeFileSync(file, redirected);
  }
}

function listModules(built) {
  const entries = readdirSync(built, {recursive: true, withFileTypes: true});
  return entries
    .filter(entry => entry.isFile() && entry.name.endsWith('.js'))
    .map(({parentPath, name}) => join(parentPath, name));
}
