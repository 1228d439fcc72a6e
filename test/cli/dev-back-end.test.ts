import assert from 'node:assert/strict';
import {mkdir, readdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, onTestFinished, test} from 'vitest';
import {SAMPLE_DATA_FILE} from '../../src/workbench/back-end/back-end-data.ts';
import {manifestOf, writePlugin} from '../support/plugin-folder.ts';
import {createMachine, type Running} from './crewroom.ts';

const machine = await createMachine();
const ID = 'com.example.bookings';

/** A background that calls the back end of its identity, as published ones do. */
const BACKGROUND = `
let identity;
const call = (method, path, data) => require('axios')({
  method,
  url: identity.airline.settings.scriptURL + path,
  headers: {Authorization: 'Bearer ' + identity.va_user.session},
  data,
}).then(({data}) => data, ({response}) => ({refused: response.status}));
exports.onStart = given => { identity = given; };
exports.routes = {
  get: {
    bookings: {description: '', handler: async (req, res) => res.json(await call('GET', 'flights/bookings'))},
    settings: {description: '', handler: (req, res) => res.json(identity.airline.plugins)},
  },
  post: {book: {description: '', handler: async (req, res) => res.json(await call('POST', 'flights/book', req.body))}},
};`;

interface Started {
  readonly url: string;
  readonly state: string;
  readonly backEnd: {
    readonly url: string;
    readonly pilots: readonly {readonly number: string; readonly password: string}[];
  };
}

let folders = 0;

async function develop(data: string): Promise<Running & {readonly started: Started; readonly temporary: string}> {
  const folder = join(machine.home, `plugin${folders++}`);
  const settings = {availableSettings: {charter: {type: 'boolean', default: true, settingType: 'airline'}}};
  await writePlugin(folder, {'plugin.json': manifestOf(ID, settings), 'background/index.js': BACKGROUND});
  // Goes with the machine, since a test ends before the command has cleaned up.
  const temporary = `${folder}-temporary`;
  await mkdir(temporary);
  const words = ['dev', folder, '--json', '--port', '0', '--back-end', data];
  const running = machine.spawn(words, {environment: {TMPDIR: temporary}});
  onTestFinished(() => void running.child.kill('SIGKILL'));
  await running.until(({stdout}) => stdout.includes('\n'));
  return {...running, temporary, started: JSON.parse(running.said().stdout)};
}

async function json(url: string, body?: object): Promise<unknown> {
  const init = body === undefined ? {} : {method: 'POST', body: JSON.stringify(body)};
  return (await fetch(url, init)).json();
}

describe('crewroom dev --back-end', () => {
  test('signs a pilot in to a back end in memory, whose flights the plugin books', async () => {
    const {started} = await develop('sample');
    const {url, state, backEnd} = started;
    assert.equal(state, 'running');
    assert.match(backEnd.url, /^http:\/\/127\.0\.0\.1:\d+\/back-end\/$/);
    const identity = (await json(`${url}/api/identity`)) as {readonly va_user: object; readonly airline: object};
    assert.equal(Reflect.get(identity.va_user, 'pilotID'), 'CRW0042');
    assert.equal(Reflect.get(Reflect.get(identity.airline, 'settings'), 'scriptURL'), backEnd.url);
    assert.equal(((await json(`${url}/api/${ID}/bookings`)) as readonly unknown[]).length, 1);
    assert.deepEqual(await json(`${url}/api/${ID}/book`, {flightID: '103'}), {bidID: 2});
    assert.equal(((await json(`${url}/api/${ID}/bookings`)) as readonly unknown[]).length, 2);
  });

  test('completes the plugin in its file, whose settings count', async () => {
    const file = join(machine.home, 'charters.json');
    const {airline, ...others} = JSON.parse(await readFile(SAMPLE_DATA_FILE, 'utf8'));
    const plugins = [{id: ID, appliedSettings: {charter: false, more: 1}}];
    await writeFile(file, JSON.stringify({...others, airline: {...airline, plugins}}));
    const {started} = await develop(file);
    const listed = (await json(`${started.url}/api/${ID}/settings`)) as readonly object[];
    assert.deepEqual(
      listed.map(plugin => [Reflect.get(plugin, 'id'), Reflect.get(plugin, 'appliedSettings')]),
      [[ID, {charter: false, more: 1}]],
    );
  });

  test('gives the plugin the defaults of its settings of the airline', async () => {
    const {started} = await develop('sample');
    const [own] = (await json(`${started.url}/api/${ID}/settings`)) as readonly object[];
    assert.deepEqual(Reflect.get(own ?? {}, 'appliedSettings'), {charter: true});
  });

  test('lists every call to it beside those of the plugin', async () => {
    const {started, until} = await develop('sample');
    await json(`${started.url}/api/${ID}/bookings`);
    await until(({stderr}) => stderr.includes('"path":"/back-end/flights/bookings","status":200'));
    const {requests} = (await json(`${started.url}/api/requests`)) as {
      readonly requests: readonly {readonly path: string}[];
    };
    const paths = requests.map(({path}) => path);
    assert.ok(paths.includes('/back-end/pilot/login?username=…'), paths.join('\n'));
    assert.ok(paths.indexOf('/back-end/flights/bookings') < paths.indexOf(`/api/${ID}/bookings`));
  });

  test('prints passwords that differ from run to run, and with which pilots sign in', async () => {
    const [one, other] = [await develop('sample'), await develop('sample')];
    const [first, second] = one.started.backEnd.pilots;
    assert.ok(first !== undefined && second !== undefined);
    assert.notEqual(first.password, other.started.backEnd.pilots[0]?.password);
    await one.until(({stderr}) => stderr.includes(first.password));
    const body = {username: second.number, password: second.password};
    assert.equal(
      (await fetch(`${one.started.url}/api/session`, {method: 'POST', body: JSON.stringify(body)})).status,
      200,
    );
  });

  test('ends its sessions on demand, which the plugin and then the service notice', async () => {
    const {started} = await develop('sample');
    await fetch(`${started.backEnd.url}sessions/expire`, {method: 'POST'});
    assert.deepEqual(await json(`${started.url}/api/${ID}/bookings`), {refused: 401});
    const events = await fetch(`${started.url}/api/events`);
    await fetch(`${started.url}/api/session/verify`, {method: 'POST'});
    for await (const chunk of events.body ?? [])
      if (new TextDecoder().decode(chunk).includes('identity-changed')) break;
    assert.equal((await fetch(`${started.url}/api/identity`)).status, 404);
  });

  test('takes a copy of its data that was changed, and names the problems of one that is wrong', async () => {
    const data = JSON.parse(await readFile(SAMPLE_DATA_FILE, 'utf8'));
    const file = join(machine.home, 'airline.json');
    await writeFile(file, JSON.stringify({...data, bookings: []}));
    const {started} = await develop(file);
    assert.deepEqual(await json(`${started.url}/api/${ID}/bookings`), []);
    await writeFile(file, JSON.stringify({...data, flights: 7, pilots: []}));
    const folder = join(machine.home, 'wrong');
    await writePlugin(folder);
    const {exitCode, stderr} = await machine.run(['dev', folder, '--port', '0', '--back-end', file]);
    assert.equal(exitCode, 1);
    assert.match(stderr, /\$\.flights has to be a list of objects/);
  });

  test('listens on this machine only, and keeps nothing', async () => {
    const running = await develop('sample');
    const kept = async (): Promise<number> =>
      (await readdir(running.temporary)).filter(name => name.startsWith('crewroom-airline-')).length;
    assert.equal(await kept(), 1);
    running.child.kill('SIGTERM');
    assert.equal((await running.finished).exitCode, 0);
    assert.equal(await kept(), 0);
    await assert.rejects(fetch(running.started.backEnd.url));
    assert.ok(!(await readFile(SAMPLE_DATA_FILE, 'utf8')).includes('password'));
  });
});
