#!/usr/bin/env node
// Builds dist/ from src/. Plain JavaScript, since it runs on every supported Node before anything is built.
import {spawnSync} from 'node:child_process';
import {chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');

// Beside dist/, on the same file system: a service may be running from dist/ and load further files at any moment.
const built = mkdtempSync(join(root, '.dist-'));
try {
  const options = ['-p', join(root, 'tsconfig.build.json'), '--outDir', built];
  const {status} = spawnSync(process.execPath, [compiler, ...options], {stdio: 'inherit'});
  if (status === 0) {
    chmodSync(join(built, 'cli', 'main.js'), 0o755);
    copyDocsPage();
    copyKeychainProcess();
    replaceFiles();
  } else {
    process.exitCode = 1;
  }
} finally {
  rmSync(built, {recursive: true, force: true});
}

/** Assembles the page of the documentation: our files, and the files of Swagger UI that it needs. */
function copyDocsPage() {
  const page = join(built, 'http', 'docs-page');
  cpSync(join(root, 'src', 'http', 'docs-page'), page, {recursive: true});
  const swaggerUi = join(dirname(require.resolve('@fastify/swagger-ui/package.json')), 'static');
  for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css']) cpSync(join(swaggerUi, file), join(page, file));
}

/** The program that accesses the keychain is JavaScript already: tests, which run the sources, start it as well. */
function copyKeychainProcess() {
  const file = join('identity', 'keychain', 'keychain-process.js');
  cpSync(join(root, 'src', file), join(built, file));
}

/**
 * Replaces each file of dist/ by the one that was built, atomically, and only then removes those that are no longer
 * built.
 */
function replaceFiles() {
  const names = new Set();
  for (const entry of readdirSync(built, {recursive: true, withFileTypes: true})) {
    const name = join(entry.parentPath, entry.name).slice(built.length + 1);
    names.add(name);
    if (entry.isDirectory()) continue;
    mkdirSync(dirname(join(dist, name)), {recursive: true});
    renameSync(join(built, name), join(dist, name));
  }
  for (const name of readdirSync(dist, {recursive: true, encoding: 'utf8'}))
    if (!names.has(name)) rmSync(join(dist, name), {recursive: true, force: true});
}
