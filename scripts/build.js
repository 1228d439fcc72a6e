#!/usr/bin/env node
// Builds dist/ from src/. Plain JavaScript, since it runs on every supported Node before anything is built.
import {spawnSync} from 'node:child_process';
import {chmodSync, cpSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');

rmSync(dist, {recursive: true, force: true});
const compiled = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], {stdio: 'inherit'});
if (compiled.status === 0) {
  chmodSync(join(dist, 'cli', 'main.js'), 0o755);
  copyDocsPage();
  copyKeychainProcess();
} else {
  process.exitCode = 1;
}

/** Puts the page of the documentation together: our files, and those of Swagger UI that it needs. */
function copyDocsPage() {
  const page = join(dist, 'http', 'docs-page');
  cpSync(join(root, 'src', 'http', 'docs-page'), page, {recursive: true});
  const swaggerUi = join(dirname(require.resolve('@fastify/swagger-ui/package.json')), 'static');
  for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css']) cpSync(join(swaggerUi, file), join(page, file));
}

/** The program that asks the keychain is JavaScript already: tests, which run the sources, start it as well. */
function copyKeychainProcess() {
  const file = join('identity', 'keychain', 'keychain-process.js');
  cpSync(join(root, 'src', file), join(dist, file));
}
