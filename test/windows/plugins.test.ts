import {mkdirSync, writeFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {createUser, runningPrograms, type Service, until} from './machine.ts';

const user = await createUser();
const ID = 'com.example.käse'.replace('ä', 'ae');

/** Writes a plugin whose route answers its version. */
function writePlugin(folder: string, version: string): void {
  mkdirSync(user.file(folder, 'background'), {recursive: true});
  mkdirSync(user.file(folder, 'ui'), {recursive: true});
  const manifest = {id: ID, name: 'Käse', version, type: 'user', description: '', availableSettings: {}};
  writeFileSync(user.file(folder, 'plugin.json'), JSON.stringify(manifest));
  writeFileSync(user.file(folder, 'ui', 'index.html'), `<p>${version}</p>`);
  writeFileSync(user.file(folder, 'background', 'package.json'), '{"type": "commonjs"}');
  writeFileSync(
    user.file(folder, 'background', 'index.js'),
    `module.exports = {routes: {get: {version: {handler: (_, response) => response.json('${version}')}}}};`,
  );
}

/** Waits until a plugin answers a version. */
async function untilVersion({url, said}: Service, version: string): Promise<void> {
  await until(async () => {
    const answer = await fetch(`${url}/api/${ID}/version`);
    return answer.ok && (await answer.json()) === version;
  }, said);
}

const isBackgroundRunning = (): boolean =>
  runningPrograms(user.windows).some(line => line.includes(ID) && line.includes('program'));

test('a plugin is packed, installed, updated and removed while it runs, and its background ends with a killed service', async () => {
  writePlugin('mein plugin', '1.0.0');
  const service = await user.start();
  const address = ['--port', String(service.port)];
  const packed = await user.run(['plugin', 'pack', 'mein plugin', '--output', `${user.home}\\ein paket.zip`]);
  expect(packed, packed.stderr).toMatchObject({exitCode: 0});
  const installed = await user.run(['plugin', 'install', 'ein paket.zip', '--yes', ...address]);
  expect(installed, installed.stderr).toMatchObject({exitCode: 0});
  await untilVersion(service, '1.0.0');
  expect(await (await fetch(`${service.url}/plugins/${ID}/`)).text()).toContain('<p>1.0.0</p>');

  writePlugin('mein plugin', '2.0.0');
  const updated = await user.run(['plugin', 'install', `${user.home}\\mein plugin`, '--yes', ...address]);
  expect(updated, updated.stderr).toMatchObject({exitCode: 0});
  await untilVersion(service, '2.0.0');

  expect(isBackgroundRunning()).toBe(true);
  await service.kill();
  await until(
    () => !isBackgroundRunning(),
    () => 'the background still runs',
  );

  const again = await user.start();
  await untilVersion(again, '2.0.0');
  const removed = await user.run(['plugin', 'remove', ID, '--yes', '--port', String(again.port)]);
  expect(removed, removed.stderr).toMatchObject({exitCode: 0});
  expect((await fetch(`${again.url}/api/${ID}/version`)).status).toBe(404);
  await until(
    () => !isBackgroundRunning(),
    () => 'the background still runs',
  );
  await again.kill();
});

test('a plugin in development starts again when its file changes, and a failed one shows the place of its error', async () => {
  writePlugin('in arbeit', '1.0.0');
  const service = await user.start(['--ephemeral', '--dev-plugin', 'in arbeit']);
  await untilVersion(service, '1.0.0');
  writePlugin('in arbeit', '1.1.0');
  await untilVersion(service, '1.1.0');
  writeFileSync(user.file('in arbeit', 'background', 'package.json'), '{"type": "module"}');
  writeFileSync(user.file('in arbeit', 'background', 'index.js'), '\nthrow new Error("no");\n');
  await until(async () => {
    const answer = await fetch(`${service.url}/api/plugins/${ID}`);
    const {reason} = (await answer.json()) as {readonly reason?: string};
    return reason?.includes('index.js:2') === true;
  }, service.said);
  await service.kill();
});
