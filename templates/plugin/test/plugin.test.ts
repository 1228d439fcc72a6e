import {type LoadedPlugin, loadPlugin} from 'crewroom/testing';
import {afterAll, beforeAll, expect, test} from 'vitest';

let plugin: LoadedPlugin;

beforeAll(async () => {
  plugin = await loadPlugin('.', {identity: {va_user: {firstName: 'Mia'}}});
});
afterAll(() => plugin?.close());

test('greets the pilot', async () => {
  const response = await plugin.get('greeting');
  expect(await response.json()).toEqual({text: 'Welcome, Mia'});
});

test('greets with the word of the setting', async () => {
  await plugin.settings.update(plugin.id, {greeting: 'Moin'});
  const response = await plugin.get('greeting');
  expect(await response.json()).toEqual({text: 'Moin, Mia'});
});
