// The service with installed plugins, as a program embeds it: argument 1 is a directory for its data and the plugins, the others are
// their backgrounds. Prints its address when all of them run, the time from their start until the last one answered, and the part of it from their
// first calls on, in milliseconds.
// The messages "remove" and "install" remove all plugins and put them back, and are answered once these have ended, or run.
import {mkdir, rename, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout} from 'node:timers/promises';
import {openCrewroom} from 'crewroom';

const ROUTE = `
  const data = {status: 'TRACKING', phase: 'CRUISE', latitude: 50.03, longitude: 8.57};
  exports.routes = {get: {data: {description: 'Data', handler: (req, res) => res.json(data)}}};`;

/** Backgrounds by name. Each has a route that answers at once; misbehaviour begins a second later. */
const BACKGROUNDS = {
  idle: ROUTE,
  fetching: `exports.routes = {get: {data: {description: 'Data', handler: async (req, res) =>
    res.json(await (await fetch('http://localhost:7172/api/identity')).json())}}};`,
  spinning: `${ROUTE} setTimeout(() => { for (;;); }, 1000);`,
  logging: `${ROUTE} setTimeout(() => setInterval(() => { for (let n = 0; n < 100; n++) console.log('line', n); }, 10), 1000);`,
};

/** Time after which the work of a start or an end is over, that of the collectors of garbage too, in milliseconds. */
const SETTLED_MS = 3000;

const [directory = '', ...names] = process.argv.slice(2);
const ids = names.map((name, index) => `com.example.${name}${index}`);
const plugins = join(directory, 'plugins');
const removed = join(directory, 'removed');
for (const each of [plugins, removed]) await mkdir(each, {recursive: true, mode: 0o700});
await Promise.all(names.map((name, index) => write(ids[index], BACKGROUNDS[name])));
// Loads `fetch`, whose time is not that of the service.
await fetch('data:,');

const crewroom = await openCrewroom({dataDir: join(directory, 'data'), port: 0, pluginsDir: plugins});
const startMs = performance.now();
const {urls} = await crewroom.listen();
// Without requests meanwhile: their work would be a good part of the time on one core.
await untilRunning(ids.length);
const calledMs = performance.now();
await Promise.all(ids.map(async id => (await fetch(`${urls[0]}/api/${id}/data`)).text()));
const answeredMs = performance.now();
process.stdout.write(`${urls[0]} ${answeredMs - startMs} ${answeredMs - calledMs}\n`);
process.once('SIGTERM', () => crewroom[Symbol.asyncDispose]());

process.on('message', async message => {
  const [from, to, count] = message === 'remove' ? [plugins, removed, 0] : [removed, plugins, ids.length];
  if (crewroom.plugins.list().length !== count) {
    for (const id of ids) await rename(join(from, id), join(to, id));
    await untilRunning(count);
    await setTimeout(SETTLED_MS);
  }
  process.send({count});
});
process.channel?.unref();

/** Waits until that many plugins run, and there are no others. */
function untilRunning(count) {
  const {plugins} = crewroom;
  return new Promise(resolve => {
    const check = () => {
      const states = plugins.list().map(({state}) => state);
      if (states.length === count && states.every(state => state === 'running')) resolve();
    };
    plugins.onState(check);
    check();
  });
}

async function write(id, background) {
  const folder = join(plugins, id);
  const manifest = {id, name: id, version: '1.0.0', type: 'user', description: 'Measured', availableSettings: {}};
  await mkdir(join(folder, 'background'), {recursive: true});
  await writeFile(join(folder, 'plugin.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'background', 'package.json'), '{"type": "commonjs"}');
  await writeFile(join(folder, 'background', 'index.js'), background);
}
