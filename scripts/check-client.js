#!/usr/bin/env node
// Packs the client, installs it in empty projects, and uses it there as its users do: in strict TypeScript, in CommonJS, in a page that Vite
// builds, and in a server with Express.
import {execFileSync, spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {gzipSync} from 'node:zlib';
import {OLDEST_TYPESCRIPT} from './oldest-typescript.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'crewroom-client-'));

/** Maximum size of a page that uses entries and events, gzipped, in bytes: the client, and what Vite adds. */
const PAGE_BYTES_MAX = 9000;

try {
  const archive = pack();
  checkTypeScript(makeProject('strict-typescript', [archive, OLDEST_TYPESCRIPT]));
  checkCommonJs(makeProject('common-js', [archive]));
  await checkVite(makeProject('vite', [archive]));
  checkExpress(makeProject('express', [archive, 'express@5.1.0']));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(home, {recursive: true, force: true});
}

/** Packs the client. @returns Path of the archive. */
function pack() {
  const args = ['pack', '--json', '--silent', '--pack-destination', home];
  const packed = JSON.parse(execFileSync('npm', args, {cwd: join(root, 'packages', 'client'), encoding: 'utf8'}));
  const {filename, files, size} = Array.isArray(packed) ? packed[0] : packed;
  process.stdout.write(`${filename}: ${files.length} files, ${Math.round(size / 1024)} KiB\n`);
  const unneeded = files
    .map(({path}) => path)
    .filter(path => !/^(dist\/[^.]|package\.json$|README\.md$|LICENSE$)/.test(path));
  if (unneeded.length > 0) throw new Error(`the client contains unneeded files: ${unneeded.join(', ')}`);
  const archive = join(home, filename);
  run(home, process.execPath, [join(root, 'node_modules', 'publint', 'src', 'cli.js'), archive, '--strict']);
  return archive;
}

/** Creates an empty project with packages. @returns Its folder. */
function makeProject(name, packages) {
  const folder = join(home, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({name, private: true}));
  run(folder, 'npm', ['install', '--silent', '--no-audit', '--no-fund', ...packages]);
  return folder;
}

function run(folder, command, args) {
  const {status, stdout, stderr} = spawnSync(command, args, {cwd: folder, encoding: 'utf8'});
  if (status !== 0) throw new Error(`${args.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout;
}

/** Runs a file of a project with a service of its own, and checks what it prints. */
function runWithService(folder, file, expected) {
  const printed = run(folder, process.execPath, [join(root, 'dist/cli/main.js'), 'run', '--', process.execPath, file]);
  if (!printed.includes(expected)) throw new Error(`${file} printed ${printed}`);
}

function write(folder, files) {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), {recursive: true});
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

function checkTypeScript(folder) {
  const compile = (home, project) =>
    run(folder, process.execPath, [join(home, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', project]);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    types: [],
    outDir: 'out',
  };
  write(folder, {
    'tsconfig.json': {compilerOptions},
    // Only from 5.8 on a CommonJS module may require an ES module.
    'oldest.json': {extends: './tsconfig.json', files: ['typed.mts']},
    'typed.mts': TYPED(),
    'typed.cts': TYPED_COMMON_JS(),
  });
  compile(folder, 'oldest.json');
  compile(root, 'tsconfig.json');
  runWithService(folder, 'out/typed.mjs', 'stored 1');
  runWithService(folder, 'out/typed.cjs', 'no-entry');
  process.stdout.write('type-checked strictly, and run\n');
}

function checkCommonJs(folder) {
  write(folder, {'main.js': COMMON_JS()});
  runWithService(folder, 'main.js', 'stored 2');
  process.stdout.write('required by CommonJS\n');
}

async function checkVite(folder) {
  write(folder, {
    'index.html': '<!doctype html><title>a page</title><script type="module" src="./page.js"></script>',
    'page.js': `import {createClient} from 'crewroom-client';
      const {entries, events} = createClient();
      await entries.put('a', 1);
      for await (const event of events({prefix: 'a'})) document.title = event.kind;`,
  });
  const {build} = await import('vite');
  await build({root: folder, configFile: false, logLevel: 'error', build: {target: 'es2022'}});
  const assets = join(folder, 'dist', 'assets');
  const sizes = readdirSync(assets).map(name => gzipSync(readFileSync(join(assets, name))).length);
  const sizeBytes = sizes.reduce((sum, each) => sum + each, 0);
  if (sizeBytes > PAGE_BYTES_MAX) throw new Error(`a page with the client has ${sizeBytes} bytes gzipped`);
  process.stdout.write(`built a page with Vite: ${sizeBytes} bytes gzipped\n`);
}

function checkExpress(folder) {
  write(folder, {'server.mjs': EXPRESS()});
  runWithService(folder, 'server.mjs', 'answered 3');
  process.stdout.write('called in a server with Express\n');
}

function TYPED() {
  return `
import {AppError, createClient, type Entry} from 'crewroom-client';
import {createService} from 'crewroom-client/service';
import {createTransfer} from 'crewroom-client/transfer';

const baseUrl = (globalThis as unknown as {process: {env: {CREWROOM_URL: string}}}).process.env.CREWROOM_URL;
const {entries} = createClient({baseUrl});
await entries.put('a', {hello: 1});
const typed = await entries.get<{readonly hello: number}>('a');
const hello: number | undefined = typed?.value.hello;
// @ts-expect-error: there is no such member
typed?.value.bye;
const kept: Entry | undefined = undefined;
const refused: unknown = await entries.put('a', 2, {expected: 'absent'}).catch((error: unknown) => error);
if (!AppError.is(refused) || refused.code !== 'revision-conflict') throw new Error('another error');
const {name} = await createService({baseUrl}).about();
const {revision} = await createTransfer({baseUrl}).export();
console.log('stored', hello, name, revision, kept);
`;
}

function TYPED_COMMON_JS() {
  return `
import client = require('crewroom-client');
const {entries} = client.createClient({baseUrl: (globalThis as unknown as {process: {env: {CREWROOM_URL: string}}}).process.env.CREWROOM_URL});
entries.touch('absent', 1).catch((error: unknown) => console.log(client.AppError.is(error) && error.code));
`;
}

function COMMON_JS() {
  return `
const {createClient} = require('crewroom-client');
const {entries} = createClient({baseUrl: process.env.CREWROOM_URL});
entries.put('a', 2).then(() => entries.get('a')).then(({value}) => console.log('stored', value));
`;
}

function EXPRESS() {
  return `
import express from 'express';
import {createClient} from 'crewroom-client';
const {entries} = createClient({baseUrl: process.env.CREWROOM_URL});
await entries.put('count', 3);
const app = express();
app.get('/count', async (request, response) => response.json((await entries.get('count')).value));
const server = app.listen(0, '127.0.0.1', async () => {
  const answer = await fetch('http://127.0.0.1:' + server.address().port + '/count');
  console.log('answered', await answer.json());
  server.close();
});
`;
}
