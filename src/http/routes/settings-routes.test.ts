import {expect, test} from 'vitest';
import type {UserSettings} from '../../core/domain/plugins/user-settings.ts';
import {PrincipalCaller} from '../../service/access/permission.ts';
import type {HttpRequest} from '../core/message.ts';
import {Call, createRouter} from '../core/route.ts';
import {settingsRoutes} from './settings-routes.ts';

const SETTINGS: Pick<UserSettings, 'all'> = {
  all: async () => ({core: {}, 'com.a': {own: 1}, 'com.ab': {}, 'com.b': {secret: 1}}),
};

async function listedFor(principal: 'plugin:com.a' | undefined): Promise<readonly string[]> {
  const route = createRouter(settingsRoutes(SETTINGS as UserSettings)).find('/api/settings')?.route;
  const caller = new PrincipalCaller({mode: 'attributed', principal, isProved: false, granted: []});
  const request = {method: 'GET', target: '/api/settings', rawHeaders: []} as unknown as HttpRequest;
  const answered = await route?.GET?.(new Call(request, caller, {segments: [], query: ''}));
  return Object.keys(JSON.parse(String(answered?.body)));
}

test('GET /api/settings shows a plugin its own settings and those of the client', async () => {
  expect(await listedFor('plugin:com.a')).toEqual(['core', 'com.a']);
  expect(await listedFor(undefined)).toEqual(['core']);
});
