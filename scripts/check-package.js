#!/usr/bin/env node
// Packs the package, installs it in an empty project, and uses it there as a new user would: types, public doors, JSON
// Schemas, command.
import {execFileSync, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {Ajv2020} from 'ajv/dist/2020.js';
import {OLDEST_TYPESCRIPT} from './oldest-typescript.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'crewroom-package-'));
const run = (command, args) => {
  const {status, stdout, stderr} = spawnSync(command, args, {cwd: project, encoding: 'utf8'});
  if (status !== 0) throw new Error(`${args.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout;
};

/** Maximum size of an installation on Linux, in bytes: half of it is the engine, for several versions of Node: docs/decisions/0024-bundled-packages.md. */
const INSTALLED_BYTES_MAX = 36_000_000;

try {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--silent', '--pack-destination', project], {cwd: root, encoding: 'utf8'}),
  );
  process.stdout.write(`${packed.filename}: ${packed.files.length} files, ${Math.round(packed.size / 1024)} KiB\n`);
  // Nothing in dist/ begins with a dot but the record of the build, which package.json leaves out.
  const unneeded = packed.files
    .map(file => file.path)
    .filter(
      path =>
        !/^(packages\/(?:background|ui)-sdk\/)?(dist\/|css\/|templates\/|package\.json$|README\.md$|LICENSE$|CHANGELOG\.md$)/.test(
          path,
        ) || /(^|\/)\./.test(path),
    );
  if (!packed.files.some(file => file.path === 'dist/console/index.html'))
    throw new Error('the package has no console');
  if (unneeded.length > 0) throw new Error(`the package contains unneeded files: ${unneeded.join(', ')}`);

  writeFileSync(join(project, 'package.json'), JSON.stringify({name: 'consumer', private: true, type: 'module'}));
  run('npm', ['install', '--silent', '--omit=dev', `./${packed.filename}`]);

  checkInstalledSize();
  checkInstallScripts();
  await checkNpx(join(project, packed.filename));

  writeFileSync(join(project, 'consumer.ts'), CONSUMER());
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        module: 'nodenext',
        target: 'es2022',
        skipLibCheck: false,
        // What most projects have, without disposables.
        lib: ['es2022', 'dom'],
        types: [],
        outDir: 'out',
      },
      files: ['consumer.ts'],
    }),
  );
  run('npm', ['install', '--silent', '--no-save', OLDEST_TYPESCRIPT]);
  for (const home of [project, root])
    run(process.execPath, [join(home, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', project]);

  const printed = run(process.execPath, [join(project, 'out', 'consumer.js')]).trim();
  if (printed !== '{"hello":1}') throw new Error(`the consumer printed ${JSON.stringify(printed)}`);
  checkSchemas();
  const command = join(project, 'node_modules', '.bin', 'crewroom');
  const version = run(command, ['version']).trim();
  run(command, ['plugin', 'new', 'made']);
  if (!readFileSync(join(project, 'made', '.gitignore'), 'utf8').includes('node_modules'))
    throw new Error('a new plugin has no .gitignore');
  checkBackground();
  process.stdout.write(`installed, type-checked and run in an empty project: ${version}\n`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(project, {recursive: true, force: true});
}

/** Prints the size of the installation with its largest parts. */
function checkInstalledSize() {
  const modules = join(project, 'node_modules');
  const parts = readdirSync(modules).map(name => ({name, sizeBytes: sizeOf(join(modules, name))}));
  const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
  const largest = parts.sort((one, other) => other.sizeBytes - one.sizeBytes).slice(0, 6);
  const format = bytes => `${(bytes / 1e6).toFixed(1)} MB`;
  const list = largest.map(part => `${part.name} ${format(part.sizeBytes)}`).join(', ');
  process.stdout.write(`installed: ${format(sizeBytes)}, of which ${list}\n`);
  if (sizeBytes > INSTALLED_BYTES_MAX) throw new Error(`the installation has ${sizeBytes} bytes`);
}

/** Checks that nothing is compiled or downloaded by scripts of packages: package managers ask before they run those, or leave them out. */
function checkInstallScripts() {
  const {packages} = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
  const names = Object.keys(packages).filter(
    path => packages[path].hasInstallScript && path !== 'node_modules/crewroom',
  );
  if (names.length > 0) throw new Error(`packages with install scripts: ${names.join(', ')}`);
}

/** Returns the size of a file, or of all files in a folder, in bytes. */
function sizeOf(path) {
  const status = lstatSync(path);
  if (!status.isDirectory()) return status.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

/** Starts the packed service with one line in an empty folder, as the README has it, and asks who the pilot is. */
async function checkNpx(archive) {
  const folder = join(project, 'empty');
  mkdirSync(folder);
  const args = ['--yes', '--package', archive, 'crewroom', 'start', '--port', '0', '--data-dir', join(folder, 'data')];
  const child = spawn('npx', args, {cwd: folder, stdio: ['ignore', 'ignore', 'pipe'], detached: true});
  const exited = once(child, 'exit');
  try {
    const port = await Promise.race([readPort(child.stderr), exited.then(() => undefined)]);
    if (port === undefined) throw new Error('npx crewroom start has ended');
    const {va_user: pilot} = await (await fetch(`http://localhost:${port}/api/identity`)).json();
    process.stdout.write(`npx crewroom start in an empty folder serves ${pilot.firstName}\n`);
  } finally {
    // Ctrl+C reaches npx and the service.
    process.kill(-child.pid, 'SIGINT');
    await exited;
  }
}

/** Reads the port of a service from its log. @returns Undefined if the log ends before. */
async function readPort(log) {
  for await (const line of createInterface(log)) if (line.includes('"message":"started"')) return JSON.parse(line).port;
  return undefined;
}

/** Finds the JSON Schemas by their names in the package, and checks them against their own schema. */
function checkSchemas() {
  const ajv = new Ajv2020({allowUnionTypes: true});
  const {resolve} = createRequire(join(project, 'consumer.ts'));
  for (const name of ['profile', 'config', 'manifest'])
    ajv.compile(JSON.parse(readFileSync(resolve(`crewroom/schemas/${name}.json`), 'utf8')));
}

/** Runs a background that loads the SDK from its host, by both of its names. */
function checkBackground() {
  const folder = join(project, 'plugin');
  mkdirSync(join(folder, 'background'), {recursive: true, mode: 0o700});
  const manifest = {
    id: 'com.example.a',
    name: 'A',
    version: '1.0.0',
    type: 'user',
    description: '',
    availableSettings: {},
  };
  writeFileSync(join(folder, 'plugin.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'background', 'index.js'), BACKGROUND());
  const request = `fetch(process.env.CREWROOM_URL + '/api/com.example.a/sdk').then(async r => console.log(await r.text()))`;
  const printed = run(join(project, 'node_modules', '.bin', 'crewroom'), [
    'run',
    '--dev-plugin',
    folder,
    '--',
    process.execPath,
    '-e',
    request,
  ]);
  if (!printed.includes('["function","function"]')) throw new Error(`the background answered ${printed}`);
}

function BACKGROUND() {
  return `
import {createRequire} from 'node:module';
import {defineBackground} from 'crewroom-background-sdk';
const {log} = createRequire(import.meta.url)('@tfdidesign/smartcars3-background-sdk');
const handler = (request, response) => response.json([typeof defineBackground, typeof log]);
export default defineBackground({routes: {get: {sdk: {handler}}}});
`;
}

function CONSUMER() {
  return `
import {AppError, type Entry, openCrewroom} from 'crewroom';
import {createClient} from 'crewroom/client';
import {createService} from 'crewroom/client/service';
import {createTransfer} from 'crewroom/client/transfer';
import {testIdentitySource} from 'crewroom/testing';

const crewroom = await openCrewroom({store: 'memory'});
const client = createClient({baseUrl: crewroom.url, fetch: crewroom.fetch});
await client.entries.put('a', {hello: 1}, {expected: 'absent'});
const entry: Entry | undefined = await crewroom.entries.get('a');
const typed = await client.entries.get<{readonly hello: number}>('a');
const hello: number | undefined = typed?.value.hello;
for await (const {key, text} of client.entries.listAll({values: true})) if (key !== 'a' || text !== typed?.text) throw new Error('not what was stored');
const events: AsyncIterable<{readonly kind: string}> = client.events({prefix: 'a', after: 0});
if (hello !== 1 || events === undefined) throw new Error('no types');
const refused: unknown = await client.entries.put('a', 2, {expected: 'absent'}).catch((error: unknown) => error);
if (!AppError.is(refused) || refused.code !== 'revision-conflict') throw new Error('two doors, two errors');
const {revision} = await createTransfer({fetch: crewroom.fetch}).export();
if (revision !== 1) throw new Error('another revision is exported');
const {name, storeId} = await createService({fetch: crewroom.fetch}).about();
if (name !== 'crewroom' || storeId === '') throw new Error('another service');
if (typeof testIdentitySource !== 'function') throw new Error('no contract');
console.log(entry === undefined ? 'nothing' : new TextDecoder().decode(entry.json));
await crewroom[Symbol.asyncDispose]();
`;
}
