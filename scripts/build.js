#!/usr/bin/env node
// Builds dist/ from src/, and dist/ of each package in packages/, unless they are the results of the same sources already. Plain
// JavaScript, since it runs on every supported Node before anything is built.
import {spawnSync} from 'node:child_process';
import {cpSync, existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {buildFolder} from './build-folder.js';
import {bundleCommandLine} from './bundle-command-line.js';
import {bundlePackages} from './bundle-packages.js';
import {bundlePageClient} from './bundle-page-client.js';
import {copyReachable} from './copy-client.js';
import {writeDocs} from './write-docs.js';
import {writeSchemas} from './write-schemas.js';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');

/** Files that every build reads. `package.json` has the versions of the compiler and of the other packages. */
const SETTINGS = [
  'package.json',
  'tsconfig.json',
  'scripts/build.js',
  'scripts/build-folder.js',
  'scripts/bundle-command-line.js',
  'scripts/bundle-packages.js',
  'scripts/bundle-page-client.js',
  'scripts/bundled-packages.js',
  'scripts/copy-client.js',
  'scripts/docs-contents.js',
  'scripts/docs-page.js',
  'scripts/docs-search.js',
  'scripts/json-schema.js',
  'scripts/write-docs.js',
  'scripts/write-openapi.js',
  'scripts/write-schemas.js',
].map(name => join(root, name));

/** The example of a plugin, and its files without tests and the SDK. */
const EXAMPLE = join('examples', 'plugin');
const EXAMPLE_FILES = [
  'plugin.json',
  'background',
  ...['index.html', 'logbook.css', 'logbook.js'].map(name => join('ui', name)),
];

const packages = join(root, 'packages');
for (const name of existsSync(packages) ? readdirSync(packages) : [])
  if (name !== 'client') await buildPackage(join(packages, name));
await buildService();
if (existsSync(join(packages, 'client'))) await buildClient(join(packages, 'client'));

async function buildService() {
  const own = ['tsconfig.build.json', 'src', 'console', 'docs', ...EXAMPLE_FILES.map(name => join(EXAMPLE, name))];
  const sources = [...SETTINGS, ...own.map(name => join(root, name)).filter(path => existsSync(path))];
  const isBuilt = await buildFolder(join(root, 'dist'), sources, async built => {
    if (!compile(['-p', join(root, 'tsconfig.build.json'), '--outDir', built])) return false;
    finishDeclarations(built);
    copyPrograms(built);
    await bundlePackages(built);
    await bundleBackgroundPrograms(built);
    await bundlePageClient(built);
    await bundleCommandLine(root, built);
    await buildConsole(built);
    await writeSchemas(built);
    await writeDocs(root, built);
    copyExample(built);
    return true;
  });
  if (!isBuilt) process.exitCode = 1;
}

/** Puts the UI SDK beside the page of the example, which has no build of its own, and both into dist/, for `crewroom play`. */
function copyExample(built) {
  const sdk = join(packages, 'ui-sdk');
  const example = join(root, EXAMPLE);
  if (!existsSync(example)) return;
  cpSync(join(sdk, 'dist'), join(example, 'ui', 'sdk'), {
    recursive: true,
    filter: path => !/\.d\.ts$|\.built$|cjs/.test(path.slice(sdk.length)),
  });
  cpSync(join(sdk, 'css', 'smartcars.css'), join(example, 'ui', 'sdk', 'smartcars.css'));
  for (const name of [...EXAMPLE_FILES, join('ui', 'sdk')])
    cpSync(join(example, name), join(built, 'example-plugin', name), {recursive: true});
}

/**
 * Makes declarations fit for compilers from TypeScript 5.2 on: imports name files that are there, `.js`; byte arrays have no parameter, which 5.7 added; and
 * types that name disposables bring them along, since the `lib` of most projects has none, and those that check libraries would not compile.
 */
function finishDeclarations(built) {
  for (const name of readdirSync(built, {recursive: true})) {
    if (!name.endsWith('.d.ts')) continue;
    const path = join(built, name);
    const text = readFileSync(path, 'utf8')
      .replace(/((?:\bfrom |\bimport\()["']\.[^"']*)\.ts(["'])/g, '$1.js$2')
      .replaceAll('Uint8Array<ArrayBuffer>', 'Uint8Array');
    const needsDisposables = /\bAsyncDisposable\b|\bDisposable\b|\bSymbol\.(?:asyncDispose|dispose)\b/.test(text);
    writeFileSync(path, needsDisposables ? `/// <reference lib="esnext.disposable" />\n${text}` : text);
  }
}

/** Builds a package twice: as ES modules, and as CommonJS for bundlers and compilers that know nothing else. */
async function buildPackage(folder) {
  const sources = [...SETTINGS, ...['package.json', 'tsconfig.json', 'src'].map(name => join(folder, name))];
  const isBuilt = await buildFolder(join(folder, 'dist'), sources, built => {
    const options = ['-p', folder, '--noEmit', 'false', '--outDir'];
    const commonJs = join(built, 'cjs');
    if (!compile([...options, built]) || !compile([...options, commonJs, '--module', 'commonjs'])) return false;
    writeFileSync(join(commonJs, 'package.json'), '{"type": "commonjs"}\n');
    return true;
  });
  if (!isBuilt) process.exitCode = 1;
}

/** Builds the package of the client, of files that the service was built into: both are the same code. */
async function buildClient(folder) {
  const dist = join(root, 'dist');
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const doors = Object.values(manifest.exports).flatMap(door => (door.default === undefined ? [] : [door.default]));
  const entries = [...doors, ...Object.values(manifest.browser)].map(path => /^\.\/dist\/(.+)\.js$/.exec(path)[1]);
  const sources = [...SETTINGS, join(folder, 'package.json'), ...['client', 'core'].map(name => join(dist, name))];
  await buildFolder(join(folder, 'dist'), sources, built => {
    copyReachable(dist, entries, built);
    return true;
  });
}

/** Compiles a project. @returns Whether it had no error. */
function compile(options) {
  return spawnSync(process.execPath, [compiler, ...options], {stdio: 'inherit'}).status === 0;
}

/** The programs that call native parts in a process of their own are JavaScript already: tests, which run the sources, start them as well. */
function copyPrograms(built) {
  const files = [
    'service/identity/keychain/keychain-process.js',
    'store/lmdb/opening-trial-process.js',
    'store/lmdb/read-tables-process.js',
  ];
  for (const file of files) cpSync(join(root, 'src', file), join(built, file));
}

/**
 * Bundles each program of the background of a plugin into one CommonJS file, since a background starts while its user waits: Node takes
 * less time to load one than two dozen ES modules.
 */
async function bundleBackgroundPrograms(built) {
  const {build: bundle} = await import('esbuild');
  const runtime = join(built, 'plugins', 'background', 'runtime');
  await bundle({
    // Comments in the bundles name files relative to it.
    absWorkingDir: runtime,
    entryPoints: ['main.js', 'watchdog-thread.js'],
    outdir: 'program',
    outExtension: {'.js': '.cjs'},
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    define: {'import.meta.url': 'bundleUrl'},
    banner: {js: "const bundleUrl = require('node:url').pathToFileURL(__filename).href;"},
    logLevel: 'warning',
  });
}

/** Bundles the console, an application for browsers. */
async function buildConsole(built) {
  const {build: bundle} = await import('vite');
  const configFile = join(root, 'console', 'vite.config.ts');
  await bundle({
    configFile,
    configLoader: 'runner',
    logLevel: 'warn',
    build: {outDir: join(built, 'console'), emptyOutDir: true},
  });
}
