// The service with one plugin, as a program embeds it: argument 1 is a directory for both. Prints its address when the route of the
// plugin answers.
import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout} from 'node:timers/promises';
import {openCrewroom} from 'crewroom';

const [directory = ''] = process.argv.slice(2);
const plugin = join(directory, 'com.example.bench');
const manifest = {
  id: 'com.example.bench',
  name: 'Bench',
  version: '1.0.0',
  type: 'user',
  description: 'Answers at once',
  availableSettings: {},
};
const background = `
  const data = {status: 'TRACKING', phase: 'CRUISE', latitude: 50.03, longitude: 8.57};
  exports.routes = {get: {data: {description: 'Data', handler: (req, res) => res.json(data)}}};`;
await mkdir(join(plugin, 'background'), {recursive: true});
await writeFile(join(plugin, 'plugin.json'), JSON.stringify(manifest));
await writeFile(join(plugin, 'background', 'package.json'), '{"type": "commonjs"}');
await writeFile(join(plugin, 'background', 'index.js'), background);

const crewroom = await openCrewroom({ephemeral: true, port: 0, plugin: [plugin]});
const {urls} = await crewroom.listen();
while (!(await fetch(`${urls[0]}/api/com.example.bench/data`)).ok) await setTimeout(10);
process.stdout.write(`${urls[0]}\n`);
process.once('SIGTERM', () => crewroom[Symbol.asyncDispose]());
