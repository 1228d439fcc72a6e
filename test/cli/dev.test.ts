import assert from 'node:assert/strict';
import {once} from 'node:events';
import {mkdir, readFile, rename, rm, writeFile} from 'node:fs/promises';
import {createServer as createHttpServer} from 'node:http';
import {type AddressInfo, createServer} from 'node:net';
import {join} from 'node:path';
import {build} from 'esbuild';
import {describe, expect, onTestFinished, test} from 'vitest';
import {findFreePort} from '../support/free-port.ts';
import {manifestOf, type PluginFiles, writePlugin} from '../support/plugin-folder.ts';
import {createMachine, plain, type Running, type RunOptions} from './crewroom.ts';

const machine = await createMachine();
const ID = 'com.example.work';

/** A background that logs its life, with a name that a test changes. */
function background(name: string): string {
  return `
exports.onStart = () => console.log('start ${name}');
exports.onEnd = async () => { await new Promise(resolve => setTimeout(resolve, 50)); console.log('end ${name}'); };
exports.routes = {get: {name: {description: '', handler: (req, res) => res.json('${name}')}}};`;
}

interface Development extends Running {
  readonly folder: string;
  /** Its line on standard output. */
  readonly started: {readonly url: string; readonly port: number; readonly plugin: string; readonly state: string};
  /** Returns the messages of its log, in their order. */
  messages(): readonly string[];
  untilMessage(text: string, count?: number): Promise<void>;
}

let folders = 0;

async function write(files: PluginFiles): Promise<string> {
  const folder = join(machine.home, `work${folders++}`);
  await writePlugin(folder, {'plugin.json': manifestOf(ID), ...files});
  return folder;
}

/** Starts `crewroom dev` in a folder, on a free port, and waits until the plugin was started. */
async function develop(
  files: PluginFiles,
  args: readonly string[] = [],
  options: RunOptions = {},
): Promise<Development> {
  return follow(await write(files), args, options);
}

async function follow(folder: string, args: readonly string[] = [], options: RunOptions = {}): Promise<Development> {
  const port = args.includes('--any-port') ? [] : ['--port', '0'];
  const given = args.filter(arg => arg !== '--any-port');
  const running = machine.spawn(['dev', '--json', ...port, ...given], {workingDirectory: folder, ...options});
  onTestFinished(() => void running.child.kill('SIGKILL'));
  await running.until(({stdout}) => stdout.includes('\n'));
  const messages = (): readonly string[] =>
    running
      .said()
      .stderr.split('\n')
      .filter(line => line.startsWith('{'))
      .map(line => (JSON.parse(line) as {readonly message: string}).message);
  return {
    ...running,
    folder,
    started: JSON.parse(running.said().stdout),
    messages,
    untilMessage: (text, count = 1) =>
      running.until(() => messages().filter(message => message.includes(text)).length >= count),
  };
}

async function stop(running: Running): Promise<void> {
  running.child.kill('SIGTERM');
  const {exitCode, signal} = await running.finished;
  assert.deepEqual([exitCode, signal], [0, null]);
}

async function call({started}: Development): Promise<unknown> {
  return (await fetch(`${started.url}/api/${ID}/name`)).json();
}

describe('crewroom dev', () => {
  test('runs the plugin in the working directory, and prints one line with its addresses', async () => {
    const development = await develop({'background/index.js': background('one'), 'ui/index.html': 'the page'});
    const {url, port, ...others} = development.started;
    assert.equal(url, `http://127.0.0.1:${port}`);
    assert.deepEqual(others, {
      plugin: ID,
      state: 'running',
      open: `http://127.0.0.1:${port}/#/plugins/${ID}`.replace('127.0.0.1', 'localhost'),
    });
    assert.equal(await call(development), 'one');
    await development.until(({stderr}) => stderr.includes(`"method":"GET","path":"/api/${ID}/name","status":200`));
    assert.equal(await (await fetch(`${url}/plugins/${ID}/`)).text(), 'the page');
    await stop(development);
    assert.ok(development.messages().includes('end one'));
  });

  test('restarts the background on a save: first onEnd, then onStart', async () => {
    const development = await develop({'background/index.js': background('one')});
    const file = join(development.folder, 'background/index.js');
    // As editors save: to another file, which then replaces this one, and once more.
    await writeFile(`${file}~`, background('two'));
    await rename(`${file}~`, file);
    await writeFile(file, background('two'));
    await development.untilMessage('start two');
    await development.untilMessage('plugin started', 2);
    assert.equal(await call(development), 'two');
    const life = development.messages().filter(message => /^(?:start|end) /.test(message));
    assert.deepEqual(life, ['start one', 'end one', 'start two']);
    await stop(development);
  });

  test('reports a module that does not load with its file and line, once, and starts the next one', async () => {
    // Times are in UTC.
    const options = {environment: {TZ: 'Asia/Kolkata'}};
    const development = await develop({'background/index.js': background('one')}, [], options);
    const file = join(development.folder, 'background/index.js');
    await writeFile(file, `${background('two')}\nexports.x = {;`);
    await development.untilMessage('The plugin does not run. It last started at ');
    const [, clock] = /It last started at ([0-9:]{8})/.exec(development.said().stderr) ?? [];
    assert.ok(development.said().stderr.includes(`T${clock?.slice(0, 5)}:`));
    const ended = development
      .said()
      .stderr.split('\n')
      .filter(line => line.includes('"plugin ended"'));
    assert.equal(ended.length, 1);
    assert.match(ended[0] ?? '', /SyntaxError: .* \(background\/index\.js:5\)/);
    assert.equal((await fetch(`${development.started.url}/api/${ID}/name`)).status, 404);
    await writeFile(file, background('three'));
    await development.untilMessage('plugin started', 2);
    // A file that is being written may be run when it is empty, and again when it has its content.
    await expect.poll(() => call(development), {timeout: 20_000}).toBe('three');
    await stop(development);
  });

  test('names the place in an ES module that does not load', async () => {
    const development = await develop({
      'background/package.json': '{"type": "module"}',
      'background/index.js': `\nimport './part.js';`,
      'background/part.js': 'export const a = 1;\n\nexport const b = ;',
    });
    const ended = development
      .said()
      .stderr.split('\n')
      .find(line => line.includes('"plugin ended"'));
    assert.match(ended ?? '', /SyntaxError: .* \(background\/part\.js:3\)/);
    await stop(development);
  });

  test('names places in the sources of a background that was built from TypeScript', async () => {
    const folder = await write({
      'background/src/index.ts': `
interface Request { readonly query: Readonly<Record<string, string>> }

export const routes = {
  get: {
    name: {
      description: '',
      handler: (request: Request): void => {
        console.error(new Error('logged'));
        throw new TypeError(\`no luck with \${request.query['a']}\`);
      },
    },
  },
};`,
    });
    await build({
      entryPoints: [join(folder, 'background/src/index.ts')],
      outfile: join(folder, 'background/index.js'),
      ...{bundle: true, format: 'cjs', platform: 'node', sourcemap: true, minify: true, logLevel: 'silent'},
    });
    const development = await follow(folder);
    const answer = await fetch(`${development.started.url}/api/${ID}/name`);
    assert.equal(((await answer.json()) as {readonly place: string}).place, 'background/src/index.ts:10');
    await development.untilMessage('background/src/index.ts:9:23');
    await stop(development);
  });

  test('says of a background that is not built what failed, and runs it once it is built', async () => {
    const folder = await write({'ui/index.html': '', 'src/background/index.ts': ''});
    const url = (development: Development): string => `${development.started.url}/api/plugins/${ID}`;
    const development = await follow(folder);
    assert.equal(development.started.state, 'not-built');
    const read = async (): Promise<object> => (await fetch(url(development))).json() as Promise<object>;
    expect(await read()).toMatchObject({reason: 'there is only its source, src/background/index.ts'});
    await writeFile(join(folder, '.build-error'), 'src/background/index.ts:3:7: Unexpected "<b>"\n\n 3 | <b>\n');
    const error = {during: 'build', message: 'src/background/index.ts:3:7: Unexpected "<b>"\n\n 3 | <b>'};
    const reason = 'its build failed: src/background/index.ts:3:7: Unexpected "<b>"';
    await expect.poll(read, {timeout: 20_000}).toMatchObject({state: 'not-built', error, reason});
    const colored = '\x1b[31m[transform] \x1b[0mUnexpected token\n  [ src/a.ts:34:11 ]\n34 | const';
    await writeFile(join(folder, '.build-error'), colored);
    const found = {message: '[transform] Unexpected token\n  [ src/a.ts:34:11 ]\n34 | const'};
    await expect.poll(read, {timeout: 20_000}).toMatchObject({error: found});
    await writeFile(join(folder, '.build-error'), 'src/background/index.ts:3:7: Unexpected "<b>"\n\n 3 | <b>\n');
    await expect.poll(read, {timeout: 20_000}).toMatchObject({error});
    await mkdir(join(folder, 'background'));
    await writeFile(join(folder, 'background/index.js'), background('one'));
    await development.untilMessage('plugin started');
    // A build that failed left the files of the one before it.
    expect(await read()).toMatchObject({state: 'running', error, reason});
    const {stdout} = await machine.run(['plugin', 'list', '--port', String(development.started.port)]);
    assert.match(stdout, new RegExp(`${ID} +1\\.0\\.0 +running, with an error `));
    assert.ok(stdout.includes(`! ${ID}: ${reason}`));
    await rm(join(folder, '.build-error'));
    await expect.poll(async () => 'error' in (await read()), {timeout: 20_000}).toBe(false);
    await stop(development);
  });

  test('tells a mistake that is in the plugin at first, and one that a save brings', async () => {
    const settings = {volume: {type: 'number', settingType: 'user', default: '80'}};
    const manifest = manifestOf(ID, {availableSettings: settings});
    const folder = await write({'plugin.json': manifest, 'background/index.js': background('one')});
    const development = await follow(folder);
    await development.untilMessage('$.availableSettings.volume.default is not a number');
    await writeFile(join(folder, 'background/index.js'), 'exports.routes = {get: {bare: (req, res) => res.json(1)}};');
    await development.untilMessage('its route GET bare is never called');
    const {stdout} = await machine.run(['plugin', 'list', '--port', String(development.started.port)]);
    assert.match(stdout, /its route GET bare is never called/);
    await stop(development);
  });

  test('keeps the error of a route with its request until the route answers', async () => {
    const development = await develop({
      'background/index.js': `exports.routes = {get: {name: {description: '', handler: (req, res) => {\n
        if (req.query.fail) throw new Error('no wind'); res.json(1); }}}};`,
    });
    const {url} = development.started;
    const read = async (): Promise<object> => (await fetch(`${url}/api/plugins/${ID}`)).json() as Promise<object>;
    await (await fetch(`${url}/api/${ID}/name?fail=secret`)).text();
    expect(await read()).toMatchObject({
      reason: 'GET name failed: Error: no wind (background/index.js:3)',
      error: {during: 'GET name', place: 'background/index.js:3', request: `GET /api/${ID}/name`},
    });
    await call(development);
    expect(await read()).not.toHaveProperty('error');
    await stop(development);
  });

  test('starts with a plugin that is broken, and runs it once it is not', async () => {
    const development = await develop({'plugin.json': '{', 'background/index.js': background('one')});
    assert.equal(development.started.state, 'broken');
    await writeFile(join(development.folder, 'plugin.json'), manifestOf(ID));
    await development.untilMessage('plugin started');
    assert.equal(await call(development), 'one');
    await stop(development);
  });

  test('takes the next free port if 7172 is taken, and says who holds it', async () => {
    const holder = createServer();
    onTestFinished(() => void holder.close());
    // Another program of this machine may hold it already.
    await Promise.race([
      once(holder.on('error', () => {}).listen(7172, '127.0.0.1'), 'listening'),
      once(holder, 'error'),
    ]);
    const development = await develop(
      {
        'ui/index.html': '',
        'background/index.js': `
      exports.routes = {get: {name: {description: '', handler: async (req, res) =>
        res.json((await (await fetch('http://localhost:7172/api/plugins')).json()).plugins[0].id)}}};`,
      },
      ['--any-port'],
    );
    assert.ok(development.started.port > 7172);
    await development.untilMessage('Port 7172 is held by ');
    assert.equal(await call(development), ID);
    await stop(development);
  });

  test('fails on a port that was named and is taken', async () => {
    const holder = createServer();
    onTestFinished(() => void holder.close());
    const port = await findFreePort();
    await once(holder.listen(port, '127.0.0.1'), 'listening');
    const folder = await write({});
    const {exitCode, stderr} = await machine.run(['dev', folder, '--port', String(port)]);
    assert.equal(exitCode, 1);
    assert.match(stderr, /node \(process \d+\) uses the port/);
  });

  test('fails in a folder without a plugin, and says what to do', async () => {
    const {exitCode, stderr} = await machine.run(['dev', machine.home]);
    assert.equal(exitCode, 1);
    assert.match(stderr, /^crewroom: Cannot use the plugin .*: it has no plugin\.json\nName the folder of a plugin/);
  });

  test('refuses a dev server that is not on this machine', async () => {
    const folder = await write({});
    const {exitCode, stderr} = await machine.run(['dev', folder, '--port', '0', '--ui', 'http://192.0.2.1:5173']);
    assert.equal(exitCode, 2);
    assert.match(stderr, /--ui leads to 192\.0\.2\.1, which is not a loopback address/);
  });

  test('provides older SDKs that are not installed, before the command beside it begins', async () => {
    const [page, background] = ['@tfdidesign/smartcars3-ui-sdk', '@tfdidesign/smartcars3-background-sdk'];
    const build = `
      const hasStyles = require('node:fs').existsSync(require.resolve('${page}/css/smartcars.css'));
      console.log(typeof require('${page}').notify, typeof require('${background}').defineBackground, hasStyles);`;
    const manifest = {dependencies: {[page]: '^1.3.0'}, devDependencies: {[background]: '1'}};
    const development = await develop({'ui/index.html': '', 'package.json': JSON.stringify(manifest)}, [
      ...['--', process.execPath, '-e', build],
    ]);
    await expect.poll(() => development.said().stderr + development.said().stdout).toContain('function function true');
    await development.untilMessage(`"crewroom plugin adopt" gives this name to crewroom-background-sdk`);
    await stop(development);
  });

  test('says which packages of a page are not on the registry', async () => {
    const sdk = '@tfdidesign/smartcars3-ui-sdk';
    const development = await develop({
      'ui/index.html': '',
      'package.json': JSON.stringify({dependencies: {[sdk]: '1'}}),
    });
    await development.untilMessage(`"crewroom plugin adopt" gives this name to crewroom-ui-sdk`);
    await stop(development);
    const content = JSON.stringify({dependencies: {[sdk]: '1'}});
    const quiet = await develop({
      ...{'ui/index.html': '', 'background/index.js': background('one'), 'package.json': content},
      [`node_modules/${sdk}/index.js`]: '',
    });
    await stop(quiet);
    assert.deepEqual(quiet.messages(), [
      'start one',
      'plugin started',
      'started',
      'stopping',
      'end one',
      'plugin stopped',
    ]);
  });

  test('keeps everything in memory, unless a directory is named', async () => {
    const data = join(machine.home, 'kept');
    const development = await develop({'background/index.js': background('one')}, ['--data-dir', data]);
    await fetch(`${development.started.url}/api/store/a`, {method: 'PUT', body: '1'});
    await stop(development);
    const again = await develop({'background/index.js': background('one')}, ['--data-dir', data]);
    assert.equal(await (await fetch(`${again.started.url}/api/store/a`)).text(), '1');
    await stop(again);
    await rm(data, {recursive: true});
  });
});

describe.runIf(process.platform === 'linux')('crewroom dev on a terminal', () => {
  test('shows where the page is and opens it, prints each call, and ends with a key', async () => {
    const folder = await write({
      'ui/index.html': '',
      'background/index.js': `
exports.onStart = () => fetch('http://localhost:7172/api/identity');
exports.routes = {get: {name: {description: '', handler: (req, res) => res.json('x')}}};`,
    });
    const opened = join(machine.home, 'opened');
    const programs = join(machine.home, 'programs');
    await mkdir(programs);
    await writeFile(join(programs, 'xdg-open'), `#!/bin/sh\necho "$1" > ${opened}`, {mode: 0o700});
    const environment = {NO_COLOR: '1', DISPLAY: ':9', PATH: `${programs}:${process.env['PATH']}`};
    const running = machine.spawnOnTerminal(['dev', folder, '--port', '0'], {columns: 100, environment});
    const shows = (text: RegExp): Promise<void> => running.until(({stdout}) => text.test(plain(stdout)));
    await shows(/Press h for help/);
    const [, port] = /http:\/\/localhost:(\d+)/.exec(running.said().stdout) ?? [];
    const banner = plain(running.said().stdout);
    assert.match(banner, /develops Plugin com\.example\.work 1\.0\.0\b/);
    assert.match(banner, new RegExp(`Open +http://localhost:${port}/#/plugins/com\\.example\\.work\n`));
    assert.match(banner, /Runs +background with 1 route, restarted when a file changes\n/);
    await fetch(`http://127.0.0.1:${port}/api/${ID}/name`);
    await fetch(`http://127.0.0.1:${port}/api/nothing/here`);
    // Those before the banner too: what a background calls when it starts matters to its author.
    await shows(/GET +200 +[\d.]+ ms .*\/api\/identity/);
    await shows(/GET +200 +[\d.]+ ms .*\/api\/com\.example\.work\/name/);
    await shows(/GET +404 +[\d.]+ ms .*\/api\/nothing\/here/);
    await untilFile(opened, `http://localhost:${port}/#/plugins/${ID}\n`);
    running.child.stdin.write('o');
    await shows(/Opened the console as the owner/);
    const address = await readFile(opened, 'utf8');
    assert.match(address, /^http:\/\/crewroom\.localhost:\d+\/#code=[\w-]{43}\n$/);
    assert.ok(!running.said().stdout.includes('#code'));
    running.child.stdin.write('q');
    assert.equal((await running.finished).exitCode, 0);
  });

  test('shows the banner of a plugin that is still loading, and says when it has loaded', async () => {
    const flag = join(machine.home, 'loads');
    const folder = await write({
      'background/index.js': `const {existsSync} = require('node:fs');
while (!existsSync(${JSON.stringify(flag)}));`,
    });
    const running = machine.spawnOnTerminal(['dev', folder, '--port', '0', '--no-open'], {
      environment: {NO_COLOR: '1'},
    });
    await running.until(({stdout}) => /Runs +loading\n[\s\S]*Press h for help/.test(plain(stdout)));
    await writeFile(flag, '');
    await running.until(({stdout}) => plain(stdout).includes('! The plugin has loaded, and runs'));
    running.child.stdin.write('q');
    assert.equal((await running.finished).exitCode, 0);
  });

  test('opens nothing with --no-open, and ends with Ctrl+C together with its command', async () => {
    const folder = await write({'background/index.js': background('one')});
    const environment = {NO_COLOR: '1', DISPLAY: ':9', PATH: `${join(machine.home, 'none')}:${process.env['PATH']}`};
    const args = ['dev', folder, '--port', '0', '--no-open', '--', 'sh', '-c', 'echo "pid $$"; sleep 1000'];
    const running = machine.spawnOnTerminal(args, {environment});
    await running.until(({stdout}) => /pid \d+/.test(stdout) && stdout.includes('Press h for help'));
    running.child.stdin.write('\u0003');
    const {exitCode, stdout} = await running.finished;
    assert.equal(exitCode, 0);
    assert.ok(plain(stdout).includes('end one'));
    assert.ok(!stdout.includes('No browser was opened'));
    const [, processId] = /pid (\d+)/.exec(stdout) ?? [];
    assert.throws(() => process.kill(Number(processId), 0), {code: 'ESRCH'});
  });
});

/** Waits until a file has a content. */
async function untilFile(path: string, content: string): Promise<void> {
  await expect.poll(() => readFile(path, 'utf8').catch(() => ''), {timeout: 20_000}).toBe(content);
}

/** A dev server in one file, which serves a page with a script at each path. */
const DEV_SERVER = `
require('node:http')
  .createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html').end('<script src="' + process.argv[3] + 'main.js"></script>');
  })
  .listen(Number(process.argv[2]), '127.0.0.1', () => console.log('dev server ' + process.pid + ' for ' + process.env.CREWROOM_URL));`;

describe('crewroom dev with a command', () => {
  async function start(base: string): Promise<Development & {readonly uiPort: number}> {
    const uiPort = await findFreePort();
    const files = {'background/index.js': background('one'), 'server.cjs': DEV_SERVER};
    // A shell in between, as package managers have it.
    const command = ['sh', '-c', `node server.cjs ${uiPort} ${base}; exit 3`];
    const development = await develop(files, ['--ui', `http://localhost:${uiPort}`, '--', ...command]);
    await development.until(({stderr}) => /dev server \d+/.test(stderr));
    return {...development, uiPort};
  }

  test('serves the page of its dev server, and ends all its processes', async () => {
    const development = await start(`/plugins/${ID}/`);
    const {url} = development.started;
    assert.match(development.said().stderr, new RegExp(`for ${url}\\n`));
    await development.until(() => true);
    const text = await untilAnswers(`${url}/plugins/${ID}/`);
    assert.match(text, /main\.js/);
    await stop(development);
    const [, processId] = /dev server (\d+)/.exec(development.said().stderr) ?? [];
    assert.throws(() => process.kill(Number(processId), 0), {code: 'ESRCH'});
    assert.equal(
      development.messages().some(message => message.includes('base:')),
      false,
    );
  });

  test('ends with the exit code of a dev server that fails', async () => {
    const development = await start(`/plugins/${ID}/`);
    const [, processId] = /dev server (\d+)/.exec(development.said().stderr) ?? [];
    process.kill(Number(processId), 'SIGKILL');
    assert.equal((await development.finished).exitCode, 3);
  });

  test('gives a dev server a free port, and allows its own page to call the service', async () => {
    const files = {'background/index.js': background('one'), 'server.cjs': DEV_SERVER};
    const server = ['sh', '-c', `echo "port $PORT"; node server.cjs $PORT /plugins/${ID}/`];
    const first = await develop(files, ['--ui', 'http://localhost:0', '--', ...server]);
    const second = await develop(files, ['--ui', 'http://localhost:0', '--', ...server]);
    for (const {started, said} of [first, second]) {
      assert.match(await untilAnswers(`${started.url}/plugins/${ID}/`), /main\.js/);
      assert.equal(started.state, 'running');
      const [, port] = /port (\d+)/.exec(said().stderr) ?? [];
      const write = (origin: string): Promise<Response> =>
        fetch(`${started.url}/api/store/a`, {method: 'POST', body: '1', headers: {Origin: origin}});
      assert.equal((await write(`http://localhost:${port}`)).status, 200);
      assert.equal((await write('https://foreign.example')).status, 403);
    }
    await stop(first);
    await stop(second);
  });

  test('ends all its processes when the terminal is closed', async () => {
    const development = await start(`/plugins/${ID}/`);
    development.child.kill('SIGHUP');
    assert.equal((await development.finished).signal, 'SIGHUP');
    const [, processId] = /dev server (\d+)/.exec(development.said().stderr) ?? [];
    assert.throws(() => process.kill(Number(processId), 0), {code: 'ESRCH'});
  });

  test('says what to set if the dev server has the page elsewhere', async () => {
    const development = await start('/');
    await development.untilMessage(`with Vite set base: '/plugins/${ID}/'`);
    await stop(development);
  });

  test('looks for no page of a plugin whose manifest is wrong, and whose path is not known', async () => {
    const received: (string | undefined)[] = [];
    const server = createHttpServer((request, response) => {
      received.push(request.url);
      response.end();
    });
    onTestFinished(() => void server.close());
    const uiPort = await new Promise(resolve => {
      server.listen(0, 'localhost', () => resolve((server.address() as AddressInfo).port));
    });
    const development = await develop({'plugin.json': '{'}, ['--ui', `http://localhost:${uiPort}`]);
    assert.equal(development.started.state, 'broken');
    assert.deepEqual(received, []);
    await stop(development);
  });

  test('ends with the exit code of a command that fails', async () => {
    const folder = await write({'ui/index.html': ''});
    const {exitCode} = await machine.runProcess(['dev', folder, '--port', '0', '--', 'sh', '-c', 'exit 7']);
    assert.equal(exitCode, 7);
    const missing = await machine.runProcess(['dev', folder, '--port', '0', '--', 'no-such-program']);
    assert.equal(missing.exitCode, 127);
    assert.match(missing.stderr, /cannot start "no-such-program": there is no such program/);
  });

  test('lets no dev server open a browser of its own', async () => {
    const development = await develop({'ui/index.html': ''}, ['--', 'sh', '-c', 'echo "browser $BROWSER"; sleep 1000']);
    await development.until(({stderr}) => stderr.includes('browser none'));
    await stop(development);
  });

  test('keeps the input of a command open', async () => {
    const files = {'background/index.js': background('one')};
    const development = await develop(files, ['--', 'sh', '-c', 'echo waiting; read line; echo over; exit 4']);
    await development.until(({stderr}) => stderr.includes('waiting'));
    assert.equal(await call(development), 'one');
    await stop(development);
  });

  test('goes on after a command that is done', async () => {
    const development = await develop({'background/index.js': background('one')}, ['--', 'mkdir', 'made']);
    await assert.rejects(mkdir(join(development.folder, 'made')), {code: 'EEXIST'});
    assert.equal(await call(development), 'one');
    await stop(development);
  });
});

async function untilAnswers(url: string): Promise<string> {
  for (;;) {
    const response = await fetch(url);
    if (response.ok) return response.text();
    await response.body?.cancel();
  }
}
