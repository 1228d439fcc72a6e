import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {openService} from '../../app/app.ts';
import type {Service, ServiceParts} from '../../app/crewroom.ts';
import {DEFAULT_PARTS} from '../../app/parts.ts';
import {SILENT_LOG} from '../../core/domain/log.ts';
import type {PluginManifest} from '../../core/domain/plugins/plugin.ts';
import {isPluginId} from '../../core/domain/plugins/plugin-id.ts';
import type {SettingValues, UserSettings} from '../../core/domain/plugins/user-settings.ts';
import {DEFAULTS} from '../../platform/config/config.ts';
import {openMemoryStore} from '../../store/memory/memory-store.ts';
import {StoredUserSettings} from './user-settings.ts';

const ID = 'com.example.hello';
const KEY = `crewroom/settings/${ID}`;

let crewroom: Service;
let settings: UserSettings;
let told: {readonly id: string; readonly values: SettingValues}[];
let onTold: () => void;

beforeEach(async () => {
  const store = openMemoryStore({nowMs: Date.now});
  const parts: Partial<ServiceParts> = {openStore: async () => store};
  crewroom = await openService({...DEFAULTS, ephemeral: true}, parts);
  told = [];
  const {entries} = crewroom;
  settings = new StoredUserSettings({
    entries,
    store,
    timers: DEFAULT_PARTS.timers,
    log: SILENT_LOG,
    plugins: {
      list: () => [
        {...LISTED, id: ID},
        {...LISTED, id: 'broken', state: 'broken'},
      ],
      problems: id => (id === 'broken' ? PROBLEMS : []),
      onState: listener => {
        listener(ID);
        return () => {};
      },
      find: id =>
        id !== ID
          ? undefined
          : {
              manifest: MANIFEST,
              pageDirectory: undefined,
              call: () => Promise.reject(new Error('no route is called')),
              notePage: () => {},
              updateSettings: values => {
                told.push({id, values});
                onTold();
              },
            },
    },
  });
});

afterEach(async () => {
  await settings[Symbol.asyncDispose]();
  await crewroom[Symbol.asyncDispose]();
});

/** Waits until a background is told its settings. */
function nextTold(): Promise<void> {
  return new Promise(resolve => (onTold = resolve));
}

describe('settings of a plugin', () => {
  test('are the defaults at first, and then what was changed', async () => {
    onTold = () => {};
    expect(await settings.get(ID)).toEqual({volume: 5, name: 'Ada'});
    expect(await settings.update(ID, {volume: 7})).toEqual({volume: 7, name: 'Ada'});
    expect(await settings.get(ID)).toEqual({volume: 7, name: 'Ada'});
    expect((await crewroom.entries.get(KEY))?.value).toEqual({volume: 7});
  });

  test('leave no entry when all defaults are restored', async () => {
    onTold = () => {};
    await settings.update(ID, {volume: 7});
    expect(await settings.update(ID, {volume: null})).toEqual({volume: 5, name: 'Ada'});
    expect(await crewroom.entries.get(KEY)).toBeUndefined();
  });

  test('stay as they were if one change is wrong', async () => {
    const changed = settings.update(ID, {volume: 'loud', name: 'Grace'});
    await expect(changed).rejects.toMatchObject({
      failure: {code: 'invalid-body', what: 'settings', problems: [{path: '$.volume', problem: 'is not a number'}]},
    });
    expect(await settings.get(ID)).toEqual({volume: 5, name: 'Ada'});
  });

  test('keep concurrent changes of different settings', async () => {
    onTold = () => {};
    await Promise.all([settings.update(ID, {volume: 7}), settings.update(ID, {name: 'Grace'})]);
    expect(await settings.get(ID)).toEqual({volume: 7, name: 'Grace'});
  });

  test('reach the background, however they were written', async () => {
    for (const write of [
      () => settings.update(ID, {volume: 7}),
      () => crewroom.entries.put(KEY, Buffer.from('{"volume": 8}')),
      () => crewroom.entries.delete(KEY),
    ]) {
      const next = nextTold();
      await write();
      await next;
    }
    expect(told).toEqual([7, 8, 5].map(volume => ({id: ID, values: {volume, name: 'Ada'}})));
  });

  test('with a stored value that does not fit read as the default, and name it', async () => {
    onTold = () => {};
    await crewroom.entries.put(KEY, Buffer.from('{"volume": "loud"}'));
    expect(await settings.get(ID)).toEqual({volume: 5, name: 'Ada'});
    expect(await settings.problems(ID)).toEqual(['setting $.volume is not a number; its default is used']);
    await crewroom.entries.put(KEY, [1]);
    expect(await settings.get(ID)).toEqual({volume: 5, name: 'Ada'});
    expect(await settings.problems(ID)).toEqual(['the stored settings are not an object; defaults are used']);
  });

  test('of an unknown plugin do not exist', async () => {
    for (const id of ['nosuch', '', 'constructor'])
      await expect(settings.get(id), id).rejects.toMatchObject({failure: {code: 'no-plugin'}});
    expect(await settings.problems('nosuch')).toEqual([]);
  });
});

test('settings of a broken plugin cannot be read or changed: the failure has its problems', async () => {
  const expected = {failure: {code: 'invalid-plugin', plugin: 'broken', problems: PROBLEMS}};
  await expect(settings.get('broken')).rejects.toMatchObject(expected);
  await expect(settings.update('broken', {volume: 7})).rejects.toMatchObject(expected);
});

test('all settings are those of the client and of each plugin that is not broken', async () => {
  expect(await settings.all()).toEqual({
    core: {
      darkMode: false,
      darkWithSystem: true,
      flashWindow: true,
      playSound: true,
      plainKeys: true,
      weightUnits: 'KGS',
      altitudeUnits: 'ft',
      landingDistanceUnits: 'm',
      discordRichPresence: false,
      showAdvancedSettings: false,
    },
    [ID]: {volume: 5, name: 'Ada'},
  });
  await expect(settings.update('core', {weightUnits: 'stone'})).rejects.toMatchObject({
    failure: {code: 'invalid-body', what: 'settings'},
  });
});

const PROBLEMS = [{path: '$', problem: 'has no plugin.json'}];

const LISTED = {
  name: 'Hello',
  version: '1.0.0',
  type: 'user',
  description: '',
  state: 'running',
  warnings: [],
  inDevelopment: false,
  hasPage: false,
  hasBackground: true,
  routes: [],
  directory: '',
  stamp: '',
  ends: 0,
} as const;

const USER = {settingType: 'user', required: false, advanced: false} as const;

const MANIFEST: PluginManifest = {
  id: idOf(ID),
  name: 'Hello',
  version: '1.0.0',
  type: 'user',
  description: '',
  allowedCommunities: [],
  availableSettings: new Map([
    ['volume', {type: 'number', ...USER, default: 5}],
    ['name', {type: 'string', ...USER, default: 'Ada'}],
  ]),
};

function idOf(text: string): PluginManifest['id'] {
  if (!isPluginId(text)) throw new Error(`not an id: ${text}`);
  return text;
}
