#!/usr/bin/env node
// Builds dist/ from src/, unless dist/ is the result of the same sources already. Plain JavaScript, since it runs on every
// supported Node before anything is built.
import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');

/** The file that names the sources of dist/, and the built files as they were. */
const record = join(dist, '.built');

const sources = hashSources();
if (!existsSync(record) || readFileSync(record, 'utf8') !== describeBuild()) await build();

async function build() {
  // Beside dist/, on the same file system: a service may be running from dist/ and load further files at any moment.
  const built = mkdtempSync(join(root, '.dist-'));
  try {
    const options = ['-p', join(root, 'tsconfig.build.json'), '--outDir', built];
    const {status} = spawnSync(process.execPath, [compiler, ...options], {stdio: 'inherit'});
    if (status === 0) {
      chmodSync(join(built, 'cli', 'main.js'), 0o755);
      copyDocsPage(built);
      copyKeychainProcess(built);
      await writeSchemas(built);
      rmSync(record, {force: true});
      replaceFiles(built);
      writeFileSync(record, describeBuild());
    } else {
      process.exitCode = 1;
    }
  } finally {
    rmSync(built, {recursive: true, force: true});
  }
}

/** Hashes everything that a build reads: the sources, its settings and, by their versions, the compiler and the other packages. */
function hashSources() {
  const hash = createHash('sha256');
  const settings = ['package.json', 'tsconfig.json', 'tsconfig.build.json', join('scripts', 'build.js')];
  for (const name of [...settings, ...listFiles(join(root, 'src')).map(file => join('src', file))])
    if (!name.endsWith('.test.ts'))
      hash
        .update(name)
        .update('\0')
        .update(readFileSync(join(root, name)))
        .update('\0');
  return hash.digest('hex');
}

/** Describes dist/ as a build of the sources left it: a file that was changed, added or removed later makes a difference. */
function describeBuild() {
  const files = listFiles(dist).map(name => {
    const {size, mtimeMs} = statSync(join(dist, name));
    return `${name} ${size} ${mtimeMs}\n`;
  });
  return `${sources}\n${files.join('')}`;
}

/** Lists the files below a folder, without the record. */
function listFiles(folder) {
  return readdirSync(folder, {recursive: true, withFileTypes: true})
    .filter(entry => !entry.isDirectory())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => path !== record)
    .map(path => path.slice(folder.length + 1))
    .sort();
}

/** Assembles the page of the documentation: our files, and the files of Swagger UI that it needs. */
function copyDocsPage(built) {
  const page = join(built, 'http', 'docs-page');
  cpSync(join(root, 'src', 'http', 'docs-page'), page, {recursive: true});
  const swaggerUi = join(dirname(require.resolve('@fastify/swagger-ui/package.json')), 'static');
  for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css']) cpSync(join(swaggerUi, file), join(page, file));
}

/** The program that accesses the keychain is JavaScript already: tests, which run the sources, start it as well. */
function copyKeychainProcess(built) {
  const file = join('identity', 'keychain', 'keychain-process.js');
  cpSync(join(root, 'src', file), join(built, file));
}

/** Writes the JSON Schemas of files that people write, which the built sources describe. */
async function writeSchemas(built) {
  const {FILE_SCHEMAS} = await import(pathToFileURL(join(built, 'schemas', 'file-schemas.js')).href);
  for (const [name, schema] of Object.entries(FILE_SCHEMAS))
    writeFileSync(join(built, 'schemas', name), `${JSON.stringify(schema, null, 2)}\n`);
}

/**
 * Replaces each file of dist/ by the one that was built, atomically, and only then removes those that are no longer
 * built.
 */
function replaceFiles(built) {
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
