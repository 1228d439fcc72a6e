// The service with installed plugins, as a program embeds it: argument 1 is a directory for its data and the plugins, the others are
// their backgrounds. Prints its address when all of them run, and the time from their start until the last one answered, in milliseconds.
import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {openCrewroom} from 'crewroom';

const ROUTE = `
  const data = {status: 'TRACKING', phase: 'CRUISE', latitude: 50.03, longitude: 8.57};
  exports.routes = {get: {data: {description: 'Data', handler: (req, res) => res.json(data)}}};`;

/** Backgrounds by name. Each has a route that answers at once; misbehaviour begins a second later. */
const BACKGROUNDS = {
  idle: ROUTE,
  spinning: `${ROUTE} setTimeout(() => { for (;;); }, 1000);`,
  logging: `${ROUTE} setTimeout(() => setInterval(() => { for (let n = 0; n < 100; n++) console.log('line', n); }, 10), 1000);`,
};

const [directory = '', ...names] = process.argv.slice(2);
const ids = names.map((name, index) => `com.example.${name}${index}`);
const plugins = join(directory, 'plugins');
await mkdir(plugins, {recursive: true, mode: 0o700});
await Promise.all(names.map((name, index) => write(ids[index], BACKGROUNDS[name])));
// Loads `fetch`, whose time is not that of the service.
await fetch('data:,');

const crewroom = await openCrewroom({dataDir: join(directory, 'data'), port: 0, plugins});
const startMs = performance.now();
const {urls} = await crewroom.listen();
// Without requests meanwhile: their work would be a good part of the time on one core.
await untilAllRun();
await Promise.all(ids.map(async id => (await fetch(`${urls[0]}/api/${id}/data`)).text()));
process.stdout.write(`${urls[0]} ${performance.now() - startMs}\n`);
process.once('SIGTERM', () => crewroom[Symbol.asyncDispose]());

function untilAllRun() {
  const {plugins} = crewroom;
  return new Promise(resolve => {
    const check = () => {
      if (plugins.list().filter(({state}) => state === 'running').length === ids.length) resolve();
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
