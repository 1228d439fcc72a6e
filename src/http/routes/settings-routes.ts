import {decodeIfEncoded} from '../../core/domain/percent-encoding.ts';
import type {PluginSetting} from '../../core/domain/plugins/plugin.ts';
import type {UserSettings} from '../../core/domain/plugins/user-settings.ts';
import {AppError} from '../../core/failures/app-error.ts';
import {isObject} from '../../core/json/members.ts';
import {CLIENT_REQUEST_BYTES_MAX, readBody} from '../../core/protocol/plugin/client-request.ts';
import {answer, jsonAnswer} from '../core/message.ts';
import type {Call, Route} from '../core/route.ts';
import {assertNoQueryButRandom, withBody} from './read-parameters.ts';

/** `/api/settings`: settings of the client and of each plugin, with defaults filled in. */
export function settingsRoutes(settings: UserSettings): readonly Route[] {
  return [
    {
      path: '/api/settings',
      needs: 'settings:read:core',
      GET: async ({caller, query}) => {
        assertNoQueryButRandom(query);
        const all = Object.entries(await settings.all());
        return jsonAnswer(Object.fromEntries(all.filter(([id]) => caller.may(`settings:read:${id}`))));
      },
    },
    {
      path: '/api/settings/{id}',
      needs: {read: call => `settings:read:${idOf(call)}`, change: call => `settings:write:${idOf(call)}`},
      GET: async call => {
        assertNoQueryButRandom(call.query);
        return jsonAnswer(await settings.get(idOf(call)));
      },
      PUT: withBody(CLIENT_REQUEST_BYTES_MAX, (body, call) => update(body, idOf(call), settings)),
    },
    {
      path: '/api/settings/{id}/available',
      needs: call => `settings:read:${idOf(call)}`,
      GET: call => {
        assertNoQueryButRandom(call.query);
        return answer(formatAvailableSettings(settings.available(idOf(call))));
      },
    },
  ];
}

function idOf({segments: [id = '']}: Pick<Call, 'segments'>): string {
  return decodeIfEncoded(id);
}

async function update(body: Uint8Array, plugin: string, settings: UserSettings): Promise<string> {
  const changes = readBody(body);
  if (isObject(changes)) return JSON.stringify(await settings.update(plugin, changes));
  const problems = [{path: '$', problem: 'is not an object'}];
  throw new AppError({code: 'invalid-body', what: 'settings', plugin, problems});
}

/**
 * Formats the settings that a plugin has, as `GET /api/settings/{id}/available` answers them. An array, also for options: members of
 * an object whose names look like numbers would lose their order.
 */
function formatAvailableSettings(settings: ReadonlyMap<string, PluginSetting>): string {
  const all = Array.from(settings, ([key, {options, ...setting}]) => ({
    key,
    ...setting,
    ...(options === undefined ? {} : {options: Array.from(options, ([value, label]) => ({value, label}))}),
  }));
  return JSON.stringify({settings: all});
}
