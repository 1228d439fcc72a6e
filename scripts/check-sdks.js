#!/usr/bin/env node
// Packs the SDKs of plugins, installs them in an empty project under their own names and, by an alias, under the older ones, and builds with
// them as authors of plugins do: with strict and with old types, as ES modules and as CommonJS, with Vite and Tailwind 3.
import {execFileSync, spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'crewroom-sdks-'));

/** Names of the packages, with the older ones. */
const SDKS = [
  {folder: 'ui-sdk', name: 'crewroom-ui-sdk', alias: '@tfdidesign/smartcars3-ui-sdk'},
  {folder: 'background-sdk', name: 'crewroom-background-sdk', alias: '@tfdidesign/smartcars3-background-sdk'},
];

/** Tools of authors that this repository does not have: TypeScript as plugins of their time use it, and the Tailwind of published pages. */
const TOOLS = ['typescript@4.9.5', 'tailwindcss@3.4.17'];

try {
  install();
  checkTypes();
  checkModules();
  await checkPage();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(project, {recursive: true, force: true});
}

function run(command, args) {
  const {status, stdout, stderr} = spawnSync(command, args, {cwd: project, encoding: 'utf8'});
  if (status !== 0) throw new Error(`${args.join(' ')} failed:\n${stdout}${stderr}`);
  return stdout;
}

function write(files) {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), {recursive: true});
    writeFileSync(join(project, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

function install() {
  write({'package.json': {name: 'consumer', private: true}});
  const packages = SDKS.flatMap(({folder, name, alias}) => {
    const args = ['pack', '--json', '--silent', '--pack-destination', project];
    const packed = JSON.parse(execFileSync('npm', args, {cwd: join(root, 'packages', folder), encoding: 'utf8'}));
    const {filename, files, size} = Array.isArray(packed) ? packed[0] : packed;
    process.stdout.write(`${filename}: ${files.length} files, ${Math.round(size / 1024)} KiB\n`);
    const unneeded = files
      .map(({path}) => path)
      .filter(path => !/^(dist\/[^.]|css\/|package\.json$|README\.md$|LICENSE$)/.test(path));
    if (unneeded.length > 0) throw new Error(`${name} contains unneeded files: ${unneeded.join(', ')}`);
    run(process.execPath, [
      join(root, 'node_modules', 'publint', 'src', 'cli.js'),
      join(project, filename),
      '--strict',
    ]);
    return [`${name}@file:./${filename}`, `${alias}@file:./${filename}`];
  });
  run('npm', ['install', '--silent', '--no-audit', '--no-fund', ...packages, ...TOOLS]);
}

/** Checks sources of plugins: strictly as modules of Node, and with the resolution of older compilers. */
function checkTypes() {
  const strict = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    types: [],
  };
  const lib = ['es2022', 'dom'];
  write({
    'strict/tsconfig.json': {compilerOptions: {...strict, module: 'nodenext', target: 'es2022', lib}},
    'strict/background.mts': BACKGROUND('crewroom-background-sdk'),
    'strict/background.cts': BACKGROUND('crewroom-background-sdk'),
    'strict/page.mts': PAGE('crewroom-ui-sdk'),
    'old/tsconfig.json': {
      compilerOptions: {
        strict: true,
        noEmit: true,
        types: [],
        module: 'esnext',
        moduleResolution: 'node',
        target: 'es2020',
        lib,
      },
    },
    'old/background.ts': BACKGROUND('@tfdidesign/smartcars3-background-sdk'),
    'old/page.ts': PAGE('@tfdidesign/smartcars3-ui-sdk'),
  });
  run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'strict']);
  run(process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'old']);
  process.stdout.write('type-checked by names and aliases, strictly and by an older compiler\n');
}

/** Loads each package as Node and bundlers find it. */
function checkModules() {
  const require = createRequire(join(project, 'index.js'));
  for (const {name, alias} of SDKS) {
    const folder = dirname(require.resolve(`${alias}/package.json`));
    const {main, module} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (!existsSync(join(folder, module))) throw new Error(`${name} has no ${module}`);
    const imported = run(process.execPath, [
      '--input-type=module',
      '-e',
      `console.log(Object.keys(await import('${alias}')).sort().join())`,
    ]);
    for (const loaded of [require(alias), require(name), require(join(folder, main))]) {
      const names = Object.keys(loaded).sort().join();
      if (names !== imported.trim()) throw new Error(`${name} exports ${names} and, to ES modules, ${imported}`);
    }
    process.stdout.write(`${name} exports ${imported}`);
  }
}

/** Builds a page as published ones are built, and looks for the classes and the utilities in its style sheet. */
async function checkPage() {
  write({
    'page/index.html': '<!doctype html><title>a page</title><script type="module" src="./page.js"></script>',
    'page/page.js': `import '@tfdidesign/smartcars3-ui-sdk/css/smartcars.css';
      import {notify} from '@tfdidesign/smartcars3-ui-sdk';
      document.body.innerHTML = '<div class="data-table-row grid grid-cols-10 p-3">a</div>';
      notify('a', null, null, {message: 'b', type: 'success'});`,
    'page/tailwind.config.cjs': `module.exports = {content: [${JSON.stringify(join(project, 'page', '*.js'))}]};`,
  });
  const {build} = await import('vite');
  const tailwind = createRequire(join(project, 'index.js'))('tailwindcss');
  const plugins = [tailwind({config: join(project, 'page', 'tailwind.config.cjs')})];
  await build({root: join(project, 'page'), configFile: false, logLevel: 'error', css: {postcss: {plugins}}});
  const assets = join(project, 'page', 'dist', 'assets');
  const styles = readdirSync(assets).find(name => name.endsWith('.css')) ?? '';
  const css = readFileSync(join(assets, styles), 'utf8');
  // The reset of Tailwind, the classes, and the utilities that the page uses, in this order.
  const places = ['border-box', '.data-table-row{', '.grid-cols-10{'].map(part => css.indexOf(part));
  if (css.includes('@tailwind') || places.some((place, index) => place < (places[index - 1] ?? 0)))
    throw new Error(`the styles of a page are incomplete:\n${css}`);
  process.stdout.write(`built a page with Vite and Tailwind 3: ${css.length} characters of CSS\n`);
}

function BACKGROUND(name) {
  return `
import {defineBackground, log, type Route, type StartIdentity} from '${name}';
interface Settings { readonly volume: number; readonly theme?: 'dark' | 'light' }
const hello: Route = {handler: (request, response) => response.status(201).json({hello: request.query['name'] ?? 'world'})};
export const background = defineBackground<Settings>({
  async onStart(identity: StartIdentity) {
    const path: string = identity.storagePath;
    // @ts-expect-error: a rank may be null
    const image: string = identity.va_user.rankImage;
    await log(\`Hello \${identity.va_user.firstName} at \${path} \${image}\`, 'info', new Error('none'));
  },
  onSettingsUpdate(settings) {
    const volume: number = settings.volume;
    // @ts-expect-error: there is no such setting
    return void [volume, settings.volumes];
  },
  routes: {get: {hello}, post: {bye: {description: 'Bye', handler: async (request, response) => response.sendFile(String(request.body))}}},
});
// @ts-expect-error: a background has no such member
defineBackground({onstart() {}});
`;
}

function PAGE(name) {
  return `
import {applyAppColor, applyVAColor, getAppColor, localApi, notify, request, RequestError} from '${name}';
const query = new URLSearchParams(location.search);
applyAppColor(document, query.get('darkmode') === 'true');
applyVAColor(document, query.get('forecolor'), query.get('backcolor'));
const color: string = getAppColor(true);
const flights: readonly string[] = await request({url: 'https://api.example.com', method: 'GET', params: {nocache: true}});
const same = (await request('https://api.example.com', 'GET')) as readonly string[];
const typed = await localApi<{readonly va_user: {readonly firstName: string}}>('api/identity');
const name: string = (await localApi('api/a/b', 'POST', {a: 1})).va_user.firstName;
notify('com.example.hello', null, null, {message: name + typed.va_user.firstName + color + flights.concat(same), type: 'warning'});
notify({message: 'a', quiet: true, toast: true, source: 'b'});
// @ts-expect-error: there is no such type
notify({message: 'a', type: 'loud'});
export const isMissing = (error: unknown): boolean => error instanceof RequestError && error.status === 404;
`;
}
