// Bundles effect, which plugins may expect of their host, into one file: the package itself has 40 MB of sources, types and three builds.
import {copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {build} from 'esbuild';

const require = createRequire(import.meta.url);

/** Packages in the bundle, whose licences go with it. */
const BUNDLED = ['effect', 'fast-check', 'pure-rand'];

/**
 * Writes a package `effect` with the same entry points, for `require` and for `import`. All of them are parts of one bundle, which
 * evaluates a module when it is first used.
 *
 * @param {string} target Folder of the new package.
 */
export async function bundleEffect(target) {
  const source = dirname(require.resolve('effect/package.json'));
  const {name, version, license, exports} = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  // It also names an entry point that it does not have.
  const doors = Object.keys(exports).filter(
    door => existsSync(join(source, exports[door].default ?? '')) && door !== './package.json',
  );
  mkdirSync(target, {recursive: true});
  await build({
    stdin: {contents: formatRegistry(doors), resolveDir: source},
    outfile: join(target, 'bundle.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    // Names of functions stay, for the traces of errors.
    minifyWhitespace: true,
    minifySyntax: true,
    logLevel: 'warning',
  });
  const bundle = require(join(target, 'bundle.cjs'));
  for (const door of doors) {
    const file = join(target, fileOf(door));
    writeFileSync(`${file}.cjs`, `module.exports = require('./bundle.cjs')[${JSON.stringify(door)}];\n`);
    writeFileSync(`${file}.mjs`, formatModule(door, Object.keys(bundle[door])));
  }
  const doorFiles = doors.map(door => [door, {import: `./${fileOf(door)}.mjs`, default: `./${fileOf(door)}.cjs`}]);
  const manifest = {
    name,
    version,
    license,
    exports: {'./package.json': './package.json', ...Object.fromEntries(doorFiles)},
  };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest)}\n`);
  for (const each of BUNDLED)
    copyFileSync(
      join(dirname(createRequire(join(source, 'index.js')).resolve(`${each}/package.json`)), 'LICENSE'),
      join(target, `LICENSE-${each}`),
    );
}

/** Formats a module with all entry points, each of which is evaluated when it is first read. */
function formatRegistry(doors) {
  const members = doors.map(door => {
    const specifier = JSON.stringify(door.replace(/^\./, 'effect'));
    return `get ${JSON.stringify(door)}() { return require(${specifier}); },`;
  });
  return `module.exports = {\n${members.join('\n')}\n};\n`;
}

/** Formats an ES module with the exports of an entry point: Node finds those of a bundle only as members of its default export. */
function formatModule(door, names) {
  const exported = names.filter(name => name !== '__esModule');
  const read = exported.map((name, index) => `const e${index} = door[${JSON.stringify(name)}];`);
  const list = exported.map((name, index) => `e${index} as ${name}`);
  return `import bundle from './bundle.cjs';\nconst door = bundle[${JSON.stringify(door)}];\n${read.join('\n')}\nexport {${list.join(', ')}};\n`;
}

/** Returns the name of the file of an entry point, without its extension. */
function fileOf(door) {
  return door === '.' ? 'index' : door.replace(/^\.\//, '');
}
